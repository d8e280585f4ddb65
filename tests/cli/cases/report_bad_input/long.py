import json

NAME = "x" * 100_000
print(json.dumps({"schema": "roofline.result/1", "gpu": {"id": "h100-sxm5-80gb", "name": NAME},
                  "kernels": [{"name": NAME, "full_name": NAME, "flops": 1e9, "bytes": 1e9, "time_floor_s": 1e-3, "measured": {"time_s": 2e-3}}]}))
