"""Settings: read from a file, all faults at once."""

from __future__ import annotations

import pytest

from tierlake.config import find_config, load_settings
from tierlake.errors import ConfigError, UnknownNameError

GOOD = """
default_bank = "acme"
tiers = ["tier_wisdom", "tier_fact", "tier_working"]
[lake]
root = "data/lake"
[[sources]]
name = "handbook"
path = "data/raw/handbook"
bank = "acme"
tier = "tier_wisdom"
[[sources]]
name = "letters"
path = "letters"
bank = "trust"
"""


def write(tmp_path, text: str):
    file = tmp_path / "tierlake.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_paths_are_relative_to_the_file(tmp_path):
    settings = load_settings(write(tmp_path, GOOD))
    assert settings.lake_root == str(tmp_path / "data" / "lake")
    assert settings.banks == ["acme", "trust"]
    assert settings.sources[1].tier == "tier_fact"
    assert list(settings.tiers) == ["tier_wisdom", "tier_fact", "tier_working"]


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("", {"tier_wisdom": None, "tier_fact": None, "tier_working": None}),
        ('tiers = ["hot", "cold"]', {"hot": None, "cold": None}),
        ("[tiers.tier_working]\nttl_days = 30", {"tier_wisdom": None, "tier_fact": None, "tier_working": 30}),
        ("[tiers.hot]\n[tiers.cold]\nttl_days = 7", {"hot": None, "cold": 7}),
    ],
)
def test_tiers_are_a_list_or_tables(tmp_path, text, tiers):
    settings = load_settings(write(tmp_path, text))
    assert {name: tier.ttl_days for name, tier in settings.tiers.items()} == tiers
    assert list(settings.tiers) == list(tiers)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense = 1", "nonsense"),
        ("x = [", "not valid TOML"),
        ('[[sources]]\nname = "a"\npath = "x"\ntier = "gold"', "tier 'gold' is not among"),
        ('[[sources]]\nname = "a"\npath = "x"\n[[sources]]\nname = "a"\npath = "y"', "two sources are named 'a'"),
        ('default_bank = "b"\n[[sources]]\nname = "a"\npath = "x"\nbank = "c"', "default_bank 'b' has no source"),
        ('[[sources]]\nname = "a"\npath = "x"\nbank = "../up"', "bank"),
        ("[observations]\ntop_entities = -1", "top_entities"),
    ],
)
def test_faults_say_where(tmp_path, text, words):
    with pytest.raises(ConfigError, match=words):
        load_settings(write(tmp_path, text))


def test_all_faults_come_at_once(tmp_path):
    with pytest.raises(ConfigError) as caught:
        load_settings(write(tmp_path, "one = 1\ntwo = 2\n[lake]\nroute = 3"))
    assert len(caught.value.faults) == 3


def test_the_bank_is_named_default_or_only(tmp_path):
    settings = load_settings(write(tmp_path, GOOD))
    assert settings.bank(None) == "acme"
    assert settings.bank("trust") == "trust"
    with pytest.raises(UnknownNameError, match="Did you mean trust"):
        settings.bank("trost")
    several = load_settings(write(tmp_path, GOOD.replace('default_bank = "acme"', "")))
    with pytest.raises(UnknownNameError, match="acme, trust"):
        several.bank(None)


def test_the_file_here_comes_before_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIERLAKE_CONFIG", "elsewhere.toml")
    assert str(find_config()) == "elsewhere.toml"
    write(tmp_path, GOOD)
    assert str(find_config()) == "tierlake.toml"


def test_the_key_stands_in_the_environment_and_in_no_fingerprint(tmp_path, monkeypatch):
    text = GOOD + '\n[extractor]\nname = "openai"\napi_key_env = "MY_KEY"'
    settings = load_settings(write(tmp_path, text))
    before = settings.fingerprint()
    monkeypatch.setenv("MY_KEY", "secret-value")
    assert settings.extractor.api_key() == "secret-value"
    assert settings.fingerprint() == before
    assert "secret-value" not in repr(settings)
