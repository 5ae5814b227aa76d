# SPDX-License-Identifier: Apache-2.0
"""A small DDP job over gloo: writes what `nettune advise` reads, and how long its steps take.

    RANK=0 WORLD_SIZE=2 MASTER_ADDR=... MASTER_PORT=... GLOO_SOCKET_IFNAME=... ddp_job.py DIRECTORY MIB...
"""
import json
import statistics
import sys
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

WIDTH = 640
LAYERS = 12
BATCH = 16
STEPS = 8


def make_model():
    torch.manual_seed(0)
    layers = []
    for _ in range(LAYERS):
        layers += [torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers)


def time_all_reduce(bytes_):
    x = torch.ones(bytes_ // 4)
    times = []
    for _ in range(5):
        dist.barrier()
        begin = time.perf_counter()
        dist.all_reduce(x)
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def time_steps(model, steps, forward=None):
    data = torch.randn(BATCH, WIDTH)
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        loss = model(data).square().mean()
        if forward is not None:
            forward.append(time.perf_counter() - begin)
        loss.backward()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[2:])


def main():
    directory, caps = sys.argv[1], [float(cap) for cap in sys.argv[2:]]
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    plain = make_model()
    forward = []
    alone = time_steps(plain, STEPS, forward)
    sizes = [p.numel() * p.element_size() for p in plain.parameters()]
    all_reduces = (65536, 262144, 1 << 20, 4 << 20, 16 << 20)
    before = [time_all_reduce(size) for size in all_reduces]
    measured = {}
    for cap in caps:
        dist.barrier()
        model = DistributedDataParallel(make_model(), bucket_cap_mb=cap)
        measured[cap] = time_steps(model, STEPS)
    # The machine's speed may have changed meanwhile.
    after = [time_all_reduce(size) for size in all_reduces]
    table = [[size, (a + b) / 2] for size, a, b in zip(all_reduces, before, after)]
    if dist.get_rank() == 0:
        with open(directory + "/params.json", "w") as f:
            json.dump(sizes, f)
        with open(directory + "/all_reduce.json", "w") as f:
            json.dump({"ranks": dist.get_world_size(), "backend": dist.get_backend(), "all_reduce": table}, f)
        with open(directory + "/measured", "w") as f:
            f.write("forward_ms %.3f\n" % (1e3 * statistics.median(forward[2:])))
            f.write("backward_ms %.3f\n" % (1e3 * (alone - statistics.median(forward[2:]))))
            for cap in caps:
                f.write("step_ms %g %.3f\n" % (cap, 1e3 * measured[cap]))
    dist.barrier()


main()
