"""Entity resolution: which names mean the same thing."""

from transforms.resolution.config import ResolutionConfig, SameName
from transforms.resolution.procedure import ResolutionResult, resolve_mentions

__all__ = ["ResolutionConfig", "ResolutionResult", "SameName", "resolve_mentions"]
