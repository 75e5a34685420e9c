"""The numbers of the resolution procedure, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SameName = Literal["context", "unify", "specific", "evidence"]


@dataclass(frozen=True)
class ResolutionConfig:
    """Parameters of `resolve_mentions`. The first five are the seed's.

    Attributes:
        name_weight: Share of the name in the total (seed: 50 %).
        cooccurrence_weight: Share of the neighbors (seed: 30 %).
        temporal_weight: Share of closeness in time (seed: 20 %).
        threshold: A scored match needs a total above this, after rounding to 9 decimals (seed: 60 %).
        window_days: Days after which closeness in time is nothing (seed: 7).
        same_name: What an equal key alone is worth. `context`: only the score decides. `unify`: always one entity.
            `specific`: names of several words, and organizations, places and products, are one entity; others need
            the score. `evidence`: one entity unless the evidence speaks against it. `evidence` is the default: it does
            best on the gold sets and keeps two people of one first name apart.
        hub_damping: Weigh a neighbor by its rarity, so that one that stands beside everything carries no merge.
        free_facts: A neighbor in up to 7 facts weighs 1; from 8 on, the square of this over its bucket (the power of
            two below its fact count): 8 facts weigh 0.56, 16 a seventh, 64 a hundredth. Weights add up, so colleagues
            in common count in full together, while a name that stands everywhere does not.
        enough_neighbors: Under `evidence`, both sides need this many neighbors before none in common speaks against.
            2: one neighbor is chance.
        specific_neighbors: The same for specific names, which two things share more rarely.
        shared_weight: Neighbors in common count as none below this weight together, so that a hub alone does not.
        rare_names: A context term held by at most this many names of the bank makes them candidates; a description's
            common word or a shared mailbox does not.
        candidates_per_name: Most similar candidate names kept for a name, which bounds the work for a name that is
            part of thousands of others; ties by key.
    """

    name_weight: float = 0.50
    cooccurrence_weight: float = 0.30
    temporal_weight: float = 0.20
    threshold: float = 0.6
    window_days: float = 7.0
    same_name: SameName = "evidence"
    hub_damping: bool = True
    free_facts: int = 6
    enough_neighbors: int = 2
    specific_neighbors: int = 4
    shared_weight: float = 0.25
    rare_names: int = 8
    candidates_per_name: int = 64

    def total(self, name: float, cooccurrence: float, temporal: float) -> float:
        """Returns the seed's score, rounded to 9 decimals: sums of decimals must not pass 0.6 by float noise.

        Example:
            >>> ResolutionConfig().total(0.8, 0.0, 1.0)
            0.6
        """
        return round(
            self.name_weight * name + self.cooccurrence_weight * cooccurrence + self.temporal_weight * temporal, 9
        )
