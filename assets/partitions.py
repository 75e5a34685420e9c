"""Banks as Dagster partitions: one partition is one bank is one Delta partition."""

from __future__ import annotations

import dagster as dg

BANKS = dg.DynamicPartitionsDefinition(name="bank")
