# SPDX-License-Identifier: Apache-2.0
"""The all-reduce of nettune test --nccl, by PyTorch: its time by its size, in the columns of nccl-tests.

    all_reduce.py --probe                        says in one line of JSON what PyTorch has here
    all_reduce.py LOCAL FIRST WORLD BACKEND SECONDS
                                                 starts ranks FIRST to FIRST + LOCAL - 1 of WORLD;
                                                 MASTER_ADDR and MASTER_PORT say where rank 0 listens
    all_reduce.py BACKEND SECONDS                is one rank, by the variables of torchrun

The sizes share SECONDS; each is measured at least once. The sum of every size is checked.
"""
import ctypes
import datetime
import json
import math
import os
import signal
import socket
import subprocess
import sys
import time

SMALLEST, LARGEST_ON_CPU, LARGEST_ON_GPU, FACTOR = 1024, 64 << 20, 1 << 30, 4
PATTERN = 997  # the values are below it, so that sums of up to 4096 ranks are exact in float32


def probe():
    try:
        import torch
    except Exception as error:  # also a library that it needs and that is not there
        return {"error": f"python3 cannot import torch: {first_line(error)}"}
    said = {"torch": str(torch.__version__), "gloo": False, "nccl": False, "gpus": 0}
    import torch.distributed as dist

    if not dist.is_available():
        return {"error": f"PyTorch {torch.__version__} is built without torch.distributed"}
    # PyTorch 1.13 does not say whether it has Gloo; it has it wherever it is distributed on Linux.
    said["gloo"] = bool(getattr(dist, "is_gloo_available", lambda: True)())
    said["nccl"] = bool(dist.is_nccl_available())
    said["gpus"] = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return said


def first_line(error):
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no reason given'}"


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def start(local, first, world, backend, seconds):
    """Starts the ranks of this node. The first that fails ends the others, and is named in the last line."""
    ranks = {}
    for index in range(local):
        environment = dict(os.environ, RANK=str(first + index), LOCAL_RANK=str(index), WORLD_SIZE=str(world),
                           LOCAL_WORLD_SIZE=str(local))
        threads = max(1, len(os.sched_getaffinity(0)) // local // 2)
        environment.setdefault("OMP_NUM_THREADS", str(threads))
        reason, write = os.pipe()
        child = subprocess.Popen([sys.executable, __file__, backend, str(seconds), str(write)], env=environment,
                                 pass_fds=[write], preexec_fn=die_with_parent)
        os.close(write)
        ranks[child.pid] = (first + index, child, reason)
    while ranks:
        pid, status = os.wait()
        if pid not in ranks:
            continue
        rank, _, reason = ranks.pop(pid)
        if status == 0:
            continue
        for _, other, _ in ranks.values():
            other.kill()
        code = os.waitstatus_to_exitcode(status)
        why = os.read(reason, 4096).decode(errors="replace")
        why = why or (f"signal {-code}" if code < 0 else f"exit code {code}")
        print(f"rank {rank} ended: {why}", flush=True)
        return 1
    return 0


def number(value):
    """Four digits, never in powers of ten."""
    if value <= 0:
        return "0.00"
    return f"{value:.{max(0, 3 - math.floor(math.log10(value)))}f}"


def be_a_rank(backend, seconds):
    os.environ.setdefault("USE_LIBUV", "0")  # Debian's PyTorch has none, and 2.4 and later would use it
    import torch
    import torch.distributed as dist

    on_gpu = backend == "nccl"
    index = int(os.environ.get("LOCAL_RANK", "0"))
    if on_gpu:
        torch.cuda.set_device(index)
    device = torch.device("cuda", index) if on_gpu else torch.device("cpu")
    dist.init_process_group(backend, init_method="env://",
                            timeout=datetime.timedelta(seconds=max(60, 4 * seconds)))
    rank, world = dist.get_rank(), dist.get_world_size()
    busy = torch.cuda.synchronize if on_gpu else lambda: None

    def slowest(value):
        largest = torch.tensor([value], dtype=torch.float64, device=device)
        dist.all_reduce(largest, op=dist.ReduceOp.MAX)
        return largest.item()

    def timed(tensor, times):
        busy()
        begin = time.monotonic()
        for _ in range(times):
            dist.all_reduce(tensor)
        busy()
        return slowest((time.monotonic() - begin) / times)

    def say(text):
        if rank == 0:
            print(text, flush=True)

    name = torch.cuda.get_device_name(index) if on_gpu else "CPU"
    # As bytes: all_gather_object would need numpy.
    own = f"Pid {os.getpid()} on {socket.gethostname()} device {index} {name}".encode()[:200].ljust(200)
    own = torch.tensor(list(own), dtype=torch.uint8, device=device)
    names = [torch.empty_like(own) for _ in range(world)]
    dist.all_gather(names, own)
    largest = LARGEST_ON_GPU if on_gpu else LARGEST_ON_CPU
    if on_gpu:
        # Two tensors, and a third for the check; the smallest GPU counts.
        free = -slowest(-float(torch.cuda.mem_get_info()[0]))
        while largest > SMALLEST and 4 * largest > free:
            largest //= FACTOR
    sizes = [SMALLEST]
    while sizes[-1] * FACTOR <= largest:
        sizes.append(sizes[-1] * FACTOR)
    say(f"# nThread 1 nGpus 1 minBytes {sizes[0]} maxBytes {largest} step: {FACTOR}(factor)"
        f" PyTorch {torch.__version__} backend {backend}")
    for other, one in enumerate(names):
        say(f"#  Rank {other:2} {bytes(one.tolist()).decode(errors='replace').strip()}")
    say(f"# {'size':>12} {'count':>12} {'type':>7} {'redop':>6} {'root':>5} {'time':>9} {'algbw':>9} {'busbw':>9}"
        f" {'#wrong':>7}")
    say(f"# {'(B)':>12} {'(elements)':>12} {'':>7} {'':>6} {'':>5} {'(us)':>9} {'(GB/s)':>9} {'(GB/s)':>9}")
    wrongs, buses = 0, []
    for size in sizes:
        count = size // 4
        base = torch.arange(PATTERN, dtype=torch.float32, device=device).repeat(count // PATTERN + 1)[:count]
        tensor = torch.zeros(count, dtype=torch.float32, device=device)
        once = timed(tensor, 2)  # it also makes the connections
        took = timed(tensor, max(1, min(1000, int(seconds / len(sizes) / once))))
        # Each rank adds its number to the pattern.
        tensor.copy_(base).add_(rank)
        dist.all_reduce(tensor)
        tensor.sub_(base, alpha=world)
        wrong = int(slowest(float((tensor != world * (world - 1) // 2).sum().item())))
        wrongs += wrong
        bandwidth = size / took / 1e9
        buses.append(bandwidth * 2 * (world - 1) / world)
        say(f"  {size:12} {count:12} {'float':>7} {'sum':>6} {-1:5} {number(took * 1e6):>9} {number(bandwidth):>9}"
            f" {number(buses[-1]):>9} {wrong:7}")
        if took > seconds:
            say(f"# larger sizes would take longer than {seconds} s each")
            break
    say(f"# Out of bounds values : {wrongs} {'FAILED' if wrongs else 'OK'}")
    say(f"# Avg bus bandwidth    : {number(sum(buses) / len(buses))}")
    dist.barrier()
    sys.stderr.flush()
    os._exit(0)  # PyTorch's own threads need not agree on an end


def main(words):
    if words == ["--probe"]:
        print(json.dumps(probe()))
        return 0
    if len(words) == 5:
        return start(int(words[0]), int(words[1]), int(words[2]), words[3], float(words[4]))
    if len(words) not in (2, 3) or words[0] not in ("gloo", "nccl"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        be_a_rank(words[0], float(words[1]))
    except Exception as error:
        print(f"# {first_line(error)}", file=sys.stderr, flush=True)
        if len(words) == 3:
            os.write(int(words[2]), first_line(error).encode()[:4096])
        os._exit(1)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
