"""Aggregators with the calls of crowd-kit 1.4.2, in :mod:`spanrs.compat.crowdkit.aggregation`."""
