"""pytest plugin that activates packages before tests are imported; PEERS_ACTIVATED names them: ``nervaluate=0.2``."""

import os

from spanrs import compat

for item in os.environ["PEERS_ACTIVATED"].split():
    name, _, version = item.partition("=")
    compat.activate(name, version=version or None)
