"""A profile of a machine that does not exist, for tests and pictures that need no measurement."""
import json
import math
import random

QUANTITIES = ["bytes", "rows", "cols", "elements", "nonzeros", "gathered", "longest", "spread", "uneven",
              "stored"]
# Seconds of a call, and bytes a second.
SPACES = {"host": (1e-6, 2e10), "device0": (2e-5, 1e12)}
LINK = (1e-5, 2e10)


def quantities(dense, rows, density, size, moved):
    nonzeros = round(rows * rows * density)
    values = dict.fromkeys(QUANTITIES, 0)
    values.update(bytes=moved, rows=rows, cols=rows, elements=rows * rows)
    if not dense:
        values.update(nonzeros=nonzeros, gathered=nonzeros / 2, longest=max(1, round(rows * density)), uneven=1,
                      stored=nonzeros)
    return [values[name] for name in QUANTITIES]


def model(key, latency, rate, points):
    lowest = {name: 0 for name in QUANTITIES}
    highest = {name: max((point[1 + k] for point in points), default=0) for k, name in enumerate(QUANTITIES)}
    return {**key, "samples": len(points), "r_squared": 0.99, "median_error": 0.05, "p95_error": 0.2,
            "tiers": [{"up_to_bytes": None, "terms": [{"coefficient": latency, "powers": {}},
                                                      {"coefficient": 1 / rate, "powers": {"bytes": 1}}],
                       "domain": {"lowest": lowest, "highest": highest},
                       "floor_seconds": 0, "floor_seconds_per_byte": 0, "ceiling_seconds": None}],
            "points": points}


def synthetic_profile(device_name):
    """The document, without the checksum that would have to be made again after an edit."""
    noise = random.Random(7)
    matrices = [(round(30 * 1.13 ** i), 0.6 ** (i % 14)) for i in range(60)]

    def points_of(dense, size, latency, rate, moved_of):
        points = []
        for rows, density in matrices:
            moved = moved_of(rows, rows * rows * density, size)
            seconds = (latency + moved / rate) * math.exp(noise.gauss(0, 0.08))
            points.append([seconds] + quantities(dense, rows, density, size, moved))
        return points

    dense_bytes = lambda rows, nonzeros, size: size * (rows * rows + 2 * rows)
    csr_bytes = lambda rows, nonzeros, size: nonzeros * (size + 4) + rows * (4 + 2 * size)
    both = lambda rows, nonzeros, size: dense_bytes(rows, nonzeros, size) + csr_bytes(rows, nonzeros, size)
    models = []
    for precision, size in (("float", 4), ("double", 8)):
        for space, (latency, rate) in SPACES.items():
            kernels = {"host": ["rows", "balanced"], "device0": ["group", "vector"]}[space]
            for form, kernel, moved in (("dense", kernels[0], dense_bytes), ("csr", kernels[1], csr_bytes)):
                speed = rate if form == "dense" else rate / 3
                models.append(model({"operation": "multiply", "state": f"{form}@{space}", "operand": "matrix",
                                     "columns": "one", "precision": precision, "variant": kernel}, latency, speed,
                                    points_of(form == "dense", size, latency, speed, moved)))
            for a, b in (("dense", "csr"), ("csr", "dense")):
                models.append(model({"operation": "convert", "from": f"{a}@{space}", "to": f"{b}@{space}",
                                     "precision": precision, "variant": ""}, 3 * latency, rate / 4,
                                    points_of(False, size, 3 * latency, rate / 4, both)))
    models[0]["median_error"] = 0.3  # weak
    for a, b in (("host", "device0"), ("device0", "host")):
        points = []
        for i in range(40):
            moved = 1000 * 1.4 ** i
            seconds = (LINK[0] + moved / LINK[1]) * math.exp(noise.gauss(0, 0.03))
            points.append([seconds, moved] + [0] * (len(QUANTITIES) - 1))
        models.append(model({"operation": "transfer", "from": a, "to": b, "precision": "any", "variant": ""},
                            *LINK, points))
    models.append(model({"operation": "build", "space": "device0", "precision": "float", "variant": "csr"},
                        0.2, 1e30, [[0.2] + [0] * len(QUANTITIES)] * 4))
    return {"format": "switchyard-profile", "version": 4,
            "fingerprint": {"cpu": "A processor that does not exist", "threads": 8, "library_version": "0.1.0",
                            "devices": [{"name": device_name, "driver": "1.0"}]},
            "calibrated": True, "created": "2024-01-01T00:00:00Z", "calibration_seconds": 17, "models": models}


def synthetic_decisions():
    """A document as `bench decisions --json` prints it, as far as a report reads it."""
    noise = random.Random(8)
    workloads = []
    for hinted in (True, False):
        for i in range(60):
            regret = 1 + noise.expovariate(8 if hinted else 3)
            workloads.append({"matrix": f"uniform:{100 + i}:0.5", "precision": "float", "from": "csr@host",
                              "calls": 10, "hinted": hinted, "seconds_adaptive": 1e-3 * regret,
                              "seconds_oracle": 1e-3, "regret": regret, "regret_csr_host": 3 * regret,
                              "oracle_state": "dense@host", "states_visited": ["csr@host", "<b>dense@host</b>"]})
    return {"workloads": workloads}


def write_json(file, document):
    with open(file, "w", encoding="utf-8") as out:
        json.dump(document, out)
