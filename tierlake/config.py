"""Settings: `tierlake.toml` and the environment, read here and nowhere else."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from tierlake.errors import ConfigError, UnknownNameError

# A bank's name is a folder, a partition key and a literal in predicates: letters and digits of any script, . _ -.
BankName = Annotated[str, StringConstraints(pattern=r"^\w[\w.\-]{0,63}$")]
DEFAULT_TIERS = ("tier_wisdom", "tier_fact", "tier_working")
LoaderName = Literal["auto", "markdown", "text", "html", "jsonl", "csv", "eml", "mbox", "chat", "pdf"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LakeSettings(_Settings):
    """Where the Delta tables are."""

    root: str = "data/lake"


class TierSettings(_Settings):
    """A memory tier. `ttl_days` is counted from the bank's newest document, not from the clock."""

    ttl_days: float | None = Field(default=None, gt=0)


class SourceSettings(_Settings):
    """A folder, file or glob of documents, its bank and its tier."""

    name: Annotated[str, StringConstraints(min_length=1)]
    path: str
    bank: BankName = "default"
    tier: str = "tier_fact"
    loader: LoaderName = "auto"
    trust_front_matter: bool = False
    language: str | None = None
    max_bytes: int = Field(default=50_000_000, gt=0)
    options: dict[str, Any] = Field(default_factory=dict)


class ModelSettings(_Settings):
    """An OpenAI-compatible endpoint. The key stands in the environment variable `api_key_env`, never in the file."""

    model: str = "gpt-4.1-mini"
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    max_concurrency: int = Field(default=8, ge=1)
    timeout_seconds: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=4, ge=0)
    usd_per_million_tokens_in: float = Field(default=0.0, ge=0)
    usd_per_million_tokens_out: float = Field(default=0.0, ge=0)

    def api_key(self) -> str | None:
        """Returns the key from the environment; None where it is not set."""
        return os.environ.get(self.api_key_env) or None


class ExtractorSettings(ModelSettings):
    """Which extractor turns chunks into facts."""

    name: Literal["local", "openai"] = "local"


class SummarizerSettings(ModelSettings):
    """Which summarizer writes observations."""

    name: Literal["local", "openai"] = "local"


class MentionSettings(_Settings):
    """A concept becomes an entity when it stands in this many facts of the bank."""

    concept_min_facts: int = Field(default=3, ge=1)


class ResolutionSettings(_Settings):
    """The seed's score; the meaning of each is in `transforms.resolution.ResolutionConfig`."""

    threshold: float = 0.6
    window_days: float = Field(default=7.0, gt=0)
    same_name: Literal["context", "unify", "specific", "evidence"] = "evidence"
    hub_damping: bool = True


class ObservationSettings(_Settings):
    """The seed's three numbers (0 = no limit on entities), and how much of the backlog a run takes."""

    top_entities: int = Field(default=5, ge=0)
    min_facts: int = Field(default=5, ge=1)
    max_facts: int = Field(default=50, ge=1)
    backlog_per_run: int = Field(default=5, ge=0)


class EvaluationSettings(_Settings):
    """Where the labeled queries are."""

    gold: str = "data/gold"


class OverrideSettings(_Settings):
    """Where human decisions are."""

    path: str = "data/overrides"


class DagsterSettings(_Settings):
    """Dagster's home, what its metadata may show, and its executor."""

    home: str = "data/dagster"
    preview_text: bool = False
    executor: Literal["in_process", "multiprocess"] = "in_process"
    max_concurrent: int = Field(default=2, ge=1)


class AlertSettings(_Settings):
    """Where a failed run is posted: a webhook (JSON), a command (JSON on standard input), or both."""

    webhook: str | None = None
    command: list[str] | None = None


class Settings(_Settings):
    """All settings. Relative paths are relative to the file."""

    default_bank: BankName | None = None
    tiers: dict[str, TierSettings] = Field(default_factory=lambda: {name: TierSettings() for name in DEFAULT_TIERS})
    lake: LakeSettings = LakeSettings()
    sources: list[SourceSettings] = Field(default_factory=list)
    extractor: ExtractorSettings = ExtractorSettings()
    summarizer: SummarizerSettings = SummarizerSettings()
    mentions: MentionSettings = MentionSettings()
    resolution: ResolutionSettings = ResolutionSettings()
    observations: ObservationSettings = ObservationSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    overrides: OverrideSettings = OverrideSettings()
    dagster: DagsterSettings = DagsterSettings()
    alerts: AlertSettings = AlertSettings()
    base: Path = Field(default=Path(), exclude=True)

    @model_validator(mode="before")
    @classmethod
    def _tiers_as_list_or_tables(cls, data: dict[str, Any]) -> dict[str, Any]:
        tiers = data.get("tiers")
        if isinstance(tiers, list):
            data = {**data, "tiers": {str(name): {} for name in tiers}}
        elif isinstance(tiers, dict) and set(tiers) <= set(DEFAULT_TIERS):
            # Tables that name only some of the usual tiers set them up; the order stays the usual one.
            data = {**data, "tiers": {name: tiers.get(name, {}) for name in DEFAULT_TIERS}}
        return data

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        faults = []
        names = [source.name for source in self.sources]
        faults += [f"two sources are named {name!r}" for name in sorted({n for n in names if names.count(n) > 1})]
        faults += [
            f"source {source.name!r}: tier {source.tier!r} is not among tiers {list(self.tiers)}"
            for source in self.sources
            if source.tier not in self.tiers
        ]
        if self.default_bank and self.sources and self.default_bank not in self.banks:
            faults.append(f"default_bank {self.default_bank!r} has no source; banks: {', '.join(self.banks)}")
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @property
    def banks(self) -> list[str]:
        """Returns the banks that have a source, sorted."""
        return sorted({source.bank for source in self.sources})

    @property
    def lake_root(self) -> str:
        """Returns the lake's root: an object-store URL as it stands, or an absolute path."""
        return self.lake.root if "://" in self.lake.root else str(self.path(self.lake.root))

    def path(self, relative: str) -> Path:
        """Returns a path of the configuration as an absolute path."""
        return (self.base / relative).resolve()

    def bank(self, name: str | None) -> str:
        """Returns the bank to use: `name`, else the default, else the only one.

        Raises:
            UnknownNameError: The bank does not exist, or there are several and none was named.
        """
        if name is not None:
            if name not in self.banks:
                raise UnknownNameError("bank", name, self.banks)
            return name
        if self.default_bank:
            return self.default_bank
        if len(self.banks) == 1:
            return self.banks[0]
        raise UnknownNameError("default bank (name one with --bank)", "", self.banks)

    def fingerprint(self) -> str:
        """Returns a hash of every setting that decides what the tables hold."""
        decisive = self.model_dump(mode="json", exclude={"dagster", "alerts", "lake", "default_bank"})
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()


def find_config(path: Path | None = None) -> Path:
    """Returns the configuration file: `path`, else `TIERLAKE_CONFIG`, else `tierlake.toml` here.

    A `tierlake.toml` in the working directory comes before the environment variable.
    """
    if path is not None:
        return path
    here = Path("tierlake.toml")
    if here.exists():
        return here
    return Path(os.environ.get("TIERLAKE_CONFIG", "tierlake.toml"))


def load_settings(path: Path | None = None) -> Settings:
    """Returns the settings of a file.

    Args:
        path: The file; see `find_config` for the default.

    Raises:
        ConfigError: The file is missing, is not TOML, or has faults; all of them are listed at once.
    """
    file = find_config(path)
    if not file.is_file():
        raise ConfigError(file, ["no such file; write one (see README) or name it with --config or TIERLAKE_CONFIG"])
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
        return Settings.model_validate({**data, "base": file.resolve().parent})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(file, [f"not valid TOML: {error}"]) from error
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}" for fault in error.errors()]
        raise ConfigError(file, faults) from error
