"""Write small.crfsuite with python-crfsuite (recorded with version 0.9.12), from invented data."""

from pathlib import Path

import pycrfsuite

trainer = pycrfsuite.Trainer(algorithm="lbfgs", params={"c1": 0.05, "c2": 0.1}, verbose=False)
trainer.append([{"w=the": 1.0, "upper": 0.5}, {"w=cat": 1.0}, {"w=Zoë": 2.0}], ["O", "B", "I-ü"])
trainer.append([{"w=cat": 1.0}, {"w=the": 1.0, "never": 0.0}], ["B", "O"])
trainer.train(str(Path(__file__).with_name("small.crfsuite")))
