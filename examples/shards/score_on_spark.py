"""Score shards with Spark: `spark-submit score_on_spark.py FOLDER`, or `python score_on_spark.py FOLDER`."""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

from spanrs.integrations.spark import score_dataframe

spark = SparkSession.builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
frame = spark.read.parquet(f"{sys.argv[1]}/*.parquet")
result = score_dataframe(frame, scheme="BIO", max_violations=0)
print(result)
Path("spark.counts").write_bytes(result.to_bytes())
