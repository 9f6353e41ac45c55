"""Write shards of gold and pred tags as Parquet: `python write_shards.py FOLDER NUMBER`."""

import random
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet

folder, number = Path(sys.argv[1]), int(sys.argv[2])
folder.mkdir()
types = ["PER", "ORG", "LOC"]
for shard in range(number):
    draw = random.Random(shard)
    gold, pred = [], []
    for _ in range(50):
        sides: tuple[list[str], list[str]] = ([], [])
        while len(sides[0]) < 20:
            name = draw.choice(types)
            span = [f"B-{name}", f"I-{name}", "O"] if draw.random() < 0.2 else ["O"]
            sides[0].extend(span)
            # Pred misses one span in ten.
            sides[1].extend(span if draw.random() < 0.9 else ["O"] * len(span))
        gold.append(sides[0])
        pred.append(sides[1])
    table = pyarrow.table({"gold": gold, "pred": pred})
    pyarrow.parquet.write_table(table, folder / f"{shard:04}.parquet")
