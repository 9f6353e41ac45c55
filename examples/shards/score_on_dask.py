"""Score shards on a Dask cluster: `python score_on_dask.py FOLDER`."""

import sys
from pathlib import Path

from dask.distributed import Client, LocalCluster

from spanrs.integrations.dask import score_shards

if __name__ == "__main__":
    shards = sorted(Path(sys.argv[1]).glob("*.parquet"))
    # Client("scheduler:8786") for a cluster that is already there.
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        result = score_shards(shards, scheme="BIO", max_violations=0)
    print(result)
    Path("dask.counts").write_bytes(result.to_bytes())
