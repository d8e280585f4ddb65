#!/usr/bin/env python3
"""Stands for a CUDA program that the plug-in was loaded into: writes the captures that such a run would leave.

    made_run.py SCENARIO [simulated]      the captures go to $ROOFLINE_PLUGIN_OUT, as the plug-in would put them there

No GPU and no plug-in take part, so that what reports say can be compared to the letter. The layout of a capture is that
of include/roofline/kernel/capture.hpp.
"""
import json
import os
import signal
import struct
import sys

TEXT, DEVICE, SHAPE, LAUNCH, COPY, API, OVERHEAD, WAIT, RANGE, COUNTERS, LOSS, CLOCK, STATUS, CODE, END = range(1, 16)
KERNEL_LAUNCH, GRAPH_LAUNCH = 1, 2
US = 1000
RUN = int(os.environ.get("ROOFLINE_PLUGIN_RUN", "0"))
SIMULATED = sys.argv[2:] == ["simulated"]
MODE = os.environ.get("ROOFLINE_PLUGIN_MODE", "trace")
H100 = ("NVIDIA H100 80GB HBM3", 9, 0, 132, 85520809984, 52428800, 5120, 1980000, 2619000)
NEW_GPU = ("NVIDIA Graphics Device", 10, 7, 152, 300 << 30, 128 << 20, 8192, 2000000, 4000000)


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


class Capture:
    def __init__(self, pid=4121, host="node7", rank=None, device=H100, simulated=SIMULATED):
        header = {"schema": "roofline.capture/1", "tool": {"name": "roofline", "version": "0.1.0"}, "host": host, "pid": pid,
                  "ppid": 1, "run": RUN, "mode": MODE, "command": "/opt/bench", "started_unix_ns": 1800000000000000000}
        if rank is not None:
            header.update(rank=rank[0], world_size=rank[1])
        if simulated:
            header["simulated"] = True
        self.out = bytearray(json.dumps(header).encode() + b"\n")
        self.name = f"{host}.{pid}" + (f".{RUN + 1}" if RUN else "")
        self.time = self.correlation = 0
        self.texts = {}
        self.shapes = {}
        self.clock = 1_000_000_000  # ns
        if device:
            self.device(device, simulated)

    def record(self, tag, *payload):
        body = b"".join(payload)
        self.out += bytes([tag]) + number(len(body)) + body

    def difference(self, value, last):
        d = value - getattr(self, last)
        setattr(self, last, value)
        return number(d << 1 if d >= 0 else (-d << 1) - 1)

    def t(self, value):
        return self.difference(value, "time")

    def c(self, value):
        return self.difference(value, "correlation")

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = len(self.texts) + 1
            self.record(TEXT, number(self.texts[value]), value.encode())
        return number(self.texts[value])

    def device(self, facts, simulated):
        name, major, minor, sms, memory, l2, bus, clock, memory_clock = facts
        self.record(DEVICE, number(0), self.text(name), self.text("GPU-4c5f"), *map(
            number, (major, minor, sms, memory, l2, bus, clock, memory_clock, 1, 0, int(simulated))))

    def status(self, what="collecting", detail="", result=0):
        self.record(STATUS, self.text(what), self.text(detail) if detail else number(0), *map(number, (result, 130000)),
                    self.text("/usr/lib/libcupti.so.13"), number(13000))

    def shape(self, name, grid=(132, 1, 1), block=(256, 1, 1), registers=32, shared=0):
        key = (name, grid, block)
        if key not in self.shapes:
            self.shapes[key] = len(self.shapes) + 1
            self.record(SHAPE, number(self.shapes[key]), self.text(name), *map(
                number, (*grid, *block, 1, 1, 1, 0, shared, registers, 0, 0, 1, 0)))
        return number(self.shapes[key])

    def launch(self, shape, start, end, correlation, graph=0):
        self.record(LAUNCH, shape, number(7), self.t(start), self.t(end), self.c(correlation), number(graph), number(0))

    def call(self, start, end, correlation, role=KERNEL_LAUNCH, thread=4121):
        self.record(API, number(0), number(307), number(role), number(thread), self.t(start), self.t(end), self.c(correlation))

    def counters(self, shape, occurrence, values):
        names = [self.text(name) for name in values]
        self.record(COUNTERS, shape, number(occurrence), number(2), number(len(names)), *names,
                    *(struct.pack("<d", value) for value in values.values()))

    def code(self, name, spill, digest):
        self.record(CODE, self.text(name), *map(number, (90, 0, digest, 168, 0, spill, 0)))

    def loss(self, reason, count):
        self.record(LOSS, self.text(reason), number(count))

    def end(self):
        self.record(END, self.text("exit"))
        return self.write()

    def write(self):
        with open(os.path.join(os.environ["ROOFLINE_PLUGIN_OUT"], self.name + ".rlf"), "wb") as file:
            file.write(self.out)
        return self

    def sequence(self, kernels, host=5 * US):
        """Kernels in a row, each enqueued by a call of `host` ns; those that are ready wait for the one before."""
        cpu = gpu = self.clock
        for correlation, (shape, duration) in enumerate(kernels, 1):
            self.call(cpu, cpu + host, correlation)
            cpu += host
            start = max(cpu, gpu)
            gpu = start + duration
            self.launch(shape, start, gpu, correlation)
        self.clock = max(cpu, gpu)


def chain():
    """50 launches of a fused chain, 400 us each: mock-up of the profile with a description."""
    capture = Capture()
    capture.status()
    fused = capture.shape("_Z17rms_silu_gate_addPK13__nv_bfloat16S1_PS_i", (8192, 1, 1), (256, 1, 1), 168)
    capture.code("_Z17rms_silu_gate_addPK13__nv_bfloat16S1_PS_i", 0, 0x5EED)
    if MODE == "counters":
        for occurrence in (2, 3, 4):
            capture.counters(fused, occurrence, {
                "gpu__time_duration.sum": 431000.0, "dram__bytes_read.sum": 657930000.0, "dram__bytes_write.sum": 268170000.0})
    slower = (0, 1200, 2400, 600, 1800)[RUN % 5]
    capture.sequence([(fused, 399_000 + slower + 100 * (i % 5)) for i in range(50)])
    capture.end()


def small():
    """20 kernels of 3 us that take 5 us each to launch."""
    capture = Capture()
    capture.status()
    names = ["_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
             "_ZN7cutlass7Kernel2I68cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8EEvNT_6ParamsE",
             "triton_red_fused_native_layer_norm_0", "my_kernel"]
    capture.sequence([(capture.shape(names[i % 4], (16 + i % 4, 1, 1)), 3 * US) for i in range(20)])
    capture.end()


def ranks():
    """Four ranks, the third of them slower; the others wait in a collective."""
    for rank in range(4):
        capture = Capture(pid=5000 + rank, host=f"node{rank // 2}", rank=(rank, 4))
        capture.status()
        own, wait = (1300, 400) if rank == 2 else (1000, 700)
        step = [(capture.shape("stencil_step", (4096, 1, 1)), own * US),
                (capture.shape("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", (24, 1, 1), (512, 1, 1)), wait * US)]
        capture.sequence(step * 10)
        capture.end()


def phases():
    capture = Capture()
    capture.status()
    kernel = capture.shape("decode_attn")
    begin = capture.clock
    capture.sequence([(kernel, 20 * US)] * 8)
    capture.record(RANGE, capture.text("decode"), number(4121), capture.t(begin - 10), capture.t(begin + 40 * US))
    capture.end()


def refused():
    capture = Capture(device=None)
    capture.status("other_client", "PyTorch Kineto", 39)
    capture.end()


def no_counters():
    if MODE == "trace":
        return chain()
    capture = Capture(device=None)
    capture.status("not_permitted", "", 35)
    return capture.end()


def no_kernels():
    capture = Capture()
    capture.status()
    capture.end()


def nothing():
    pass


def cut():
    capture = Capture()
    capture.status()
    capture.sequence([(capture.shape("my_kernel"), 300 * US)] * 4)
    capture.launch(capture.shape("my_kernel"), 0, 0, 9)
    capture.loss("records_dropped", 1000)
    capture.write()


def new_gpu():
    capture = Capture(device=NEW_GPU)
    capture.status()
    capture.sequence([(capture.shape("my_kernel"), 300 * US)] * 4)
    capture.end()


def simulated():
    capture = Capture(device=("SIMULATED GPU", *H100[1:]), simulated=True)
    capture.status()
    capture.sequence([(capture.shape("my_kernel"), 300 * US)] * 4)
    capture.end()


def fails():
    chain()
    print("bench: 3 results differ", flush=True)
    sys.exit(3)


def killed():
    chain()
    os.kill(os.getpid(), signal.SIGSEGV)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
