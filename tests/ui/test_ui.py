"""The Dagster UI as an engineer sees it after `make run`: the lineage, an asset, its checks, a run.

TIERLAKE_PICTURES names a folder that the pages are saved to.
"""

import os

import pytest
from playwright.sync_api import Page, expect

from tests.ui.conftest import ROOT, Ui

pytestmark = pytest.mark.ui

MAX_PICTURE_BYTES = 300_000
# The pages load their code in parts, on a machine that does other things too.
expect.set_options(timeout=30_000)


def _picture(page: Page, name: str) -> None:
    folder = os.environ.get("TIERLAKE_PICTURES")
    if folder:
        file = ROOT / folder / f"{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        # States are asked for one after another, and dialogs fade in.
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1500)
        page.screenshot(path=file)
        assert file.stat().st_size < MAX_PICTURE_BYTES, file


def _is_shown(name: str, texts: list[str]) -> bool:
    """Returns whether a name stands among texts, whole or shortened in its middle as the graph does."""
    return any(
        text == name or ("…" in text and name.startswith(text.split("…")[0]) and name.endswith(text.split("…")[1]))
        for text in texts
    )


def test_the_lineage_shows_every_asset(ui: Ui, page: Page) -> None:
    # Large enough for the whole graph: what is outside of the window is not drawn.
    page.set_viewport_size({"width": 1300, "height": 1300})
    page.goto(f"{ui.url}/asset-groups")
    expect(page.get_by_text("Global asset lineage")).to_be_visible()
    expect(page.get_by_text("observations", exact=True).first).to_be_visible()
    # Alt-E opens all groups.
    page.keyboard.press("Alt+KeyE")
    expect(page.get_by_text("fact_index", exact=True)).to_be_visible()
    page.get_by_text("Hide navigation").click()
    page.reload()
    expect(page.get_by_text("fact_index", exact=True)).to_be_visible()
    assets = [row.asset for row in ui.runs["acme"].rows]
    assert len(assets) >= 16
    for name in ("documents", "quarantine", "cooccurrences"):
        expect(page.get_by_text(name, exact=True).first).to_be_visible()
    texts = page.locator("body").inner_text().splitlines()
    assert [name for name in assets if not _is_shown(name, texts)] == []
    _picture(page, "lineage")


def test_an_asset_shows_its_rows_columns_and_metadata(ui: Ui, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{ui.url}/assets/facts")
    expect(page.get_by_text("Row count")).to_be_visible()
    expect(page.get_by_text(str(ui.rows("lindenfield", "facts")), exact=True).first).to_be_visible()
    expect(page.get_by_text("One self-contained statement with a verified quote.").first).to_be_visible()
    for text in ("Delta Lake", "Polars", "memory", "quote_start", "The words of the document"):
        expect(page.get_by_text(text).first).to_be_visible()
    _picture(page, "asset")

    page.goto(f"{ui.url}/assets/facts?view=partitions&partition=acme")
    row = page.get_by_role("row").filter(has_text="dagster/row_count")
    expect(row).to_be_visible()
    expect(row.get_by_role("cell", name=str(ui.rows("acme", "facts")), exact=True)).to_be_visible()
    for label in ("delta_version", "inserted", "extractor", "tiers", "preview"):
        expect(page.get_by_role("cell", name=label, exact=True)).to_be_visible()
    _picture(page, "partition")


def test_a_check_shows_what_great_expectations_found(ui: Ui, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{ui.url}/assets/facts?view=checks")
    expect(page.get_by_text("This is a blocking asset check.")).to_be_visible()
    expect(page.get_by_text("expectations met")).to_be_visible()
    page.get_by_text("[Show Markdown]").first.click()
    expect(page.get_by_text("facts.quote_verifies")).to_be_visible()
    _picture(page, "check")


def test_the_run_of_the_command_is_there(ui: Ui, page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{ui.url}/runs/{ui.runs['acme'].run_id}")
    expect(page.get_by_text("Success", exact=True).first).to_be_visible()
    expect(page.get_by_text("resolved_entities").first).to_be_visible()
    _picture(page, "run")
    page.goto(f"{ui.url}/automation")
    for name in ("nightly", "changed_sources", "alert_on_failure"):
        expect(page.get_by_text(name, exact=True)).to_be_visible()
