#!/usr/bin/env python3
"""Fits the attainable constants of specs/gpus/*.yaml to published times. Standard library only.

usage: fit_attainable.py SHARED SPECS

SHARED  folder of reference cases; truth/measured/{gemm,attention}_aiconfigurator.csv are read
SPECS   folder of gpus/<id>.yaml

Per GPU and class of ops it prints `attainable:` as the spec files hold it. Launch floor: the time that 30 % of the
problems with a floor under 0.5 us stay below. Shares: the pair with the least mean of |log(predicted / measured)|, cut
at 0.6 so that failed runs do not pull, on the half of the rows that accuracy.py leaves out of its score.
"""
import csv, hashlib, math, os, re, sys

GPUS = {'A100 SXM4 80GB': 'a100-sxm4-80gb', 'H100 SXM5 80GB': 'h100-sxm5-80gb', 'H200 SXM': 'h200-sxm-141gb',
        'B200': 'b200-hgx', 'L40S': 'l40s'}
PRODUCTS = {  # dtype -> class, rate
    'bfloat16': ('gemm', 'bf16'), 'fp8': ('gemm_8bit', 'fp8'), 'fp8_block': ('gemm_8bit', 'fp8'),
    'fp8_static': ('gemm_8bit', 'fp8'), 'sq': ('gemm_8bit', 'int8'), 'int8_wo': ('gemm_weight_only', 'bf16'),
    'int4_wo': ('gemm_weight_only', 'bf16'), 'nvfp4': ('gemm_4bit', 'fp4')}
# As in src/analysis/attainable.cpp.
TILES = [(256, 128), (128, 256), (128, 128), (256, 64), (64, 256), (128, 64), (64, 128), (64, 64)]
SLICES, OVERHEAD, PARTIAL = (1, 2, 4), 20, 4
TINY, QUANTILE, CUT = 0.5, 0.3, 0.6
NUMBER = r'([0-9.]+)(?: (T|G|M))?'
SCALE = {'T': 1e12, 'G': 1e9, 'M': 1e6, None: 1}


class Gpu:
    def __init__(self, path):
        text = open(path).read()
        figure = lambda key: self.figure(text, key)
        tensor = text[text.index('\npeaks:'):]
        tensor = tensor[tensor.index('\n  tensor:'):]
        self.dram = figure('bandwidth: {value: ')
        self.sms = figure('sm_count: {value: ')
        clock = figure('tensor: {value: ') or figure('boost: {value: ')
        self.sfu = self.sms * figure('sfu_per_clock_per_sm: {value: ') * clock
        self.rate = {rate: self.figure(tensor, f'    {rate}: {{dense: ') for rate in ('bf16', 'fp8', 'int8', 'fp4')}

    @staticmethod
    def figure(text, key):
        found = re.search(re.escape(key) + NUMBER, text)
        return float(found[1]) * SCALE[found[2]] if found else None


def tile_rate(bm, bn):
    relative = lambda m, n: 1 / (1 + OVERHEAD * (m + n) / (2 * m * n))
    return relative(bm, bn) / relative(256, 128)


RATES = {tile: tile_rate(*tile) for tile in TILES}


def waves(gpu, m, n, exact):
    best = math.inf
    for bm, bn in TILES:
        for slices in SLICES:
            count = math.ceil(math.ceil(m / bm) * math.ceil(n / bn) * slices / gpu.sms)
            time = exact * count * gpu.sms * bm * bn / (slices * m * n * RATES[bm, bn])
            best = min(best, time + (PARTIAL * slices * m * n / gpu.dram if slices > 1 else 0))
    return best


def product_rows(gpus, path):
    for row in csv.DictReader(open(path)):
        if row['class'] != 'ok':
            continue
        gpu, (kind, rate) = gpus[row['gpu']], PRODUCTS[row['dtype']]
        m, n = float(row['m']), float(row['n'])
        exact, dram = float(row['flops']) / gpu.rate[rate], float(row['bytes']) / gpu.dram
        train = hashlib.sha1('|'.join((row['version'], row['m'], row['n'], row['k'])).encode()).digest()[0] & 1
        if train:
            yield (row['gpu'], kind), max(exact, dram), dram, waves(gpu, m, n, exact), float(row['time_us']) * 1e-6


def attention_rows(gpus, path):
    for row in csv.DictReader(open(path)):
        if row['class'] != 'ok':
            continue
        gpu = gpus[row['gpu']]
        flops, heads = float(row['flops']), float(row['heads'])
        pairs = flops / (4 * float(row['head_dim']))
        sfu = (pairs + float(row['batch']) * heads * float(row['q_len'])) / gpu.sfu
        compute = max(flops / gpu.rate['fp8' if row['dtype'] == 'fp8' else 'bf16'], sfu)
        dram = float(row['bytes']) / gpu.dram
        key = '|'.join((row['version'], row['batch'], row['q_len'], row['kv_prefix'], row['heads']))
        if hashlib.sha1(key.encode()).digest()[0] & 1:
            kind = 'attention_decode' if row['phase'] == 'generation' else 'attention_prefill'
            yield (row['gpu'], kind), max(compute, dram), dram, compute, float(row['time_us']) * 1e-6


def loss(rows, launch, bandwidth, compute):
    total = 0
    for dram, datapath, time in rows:
        total += min(abs(math.log((max(dram / bandwidth, datapath / compute) + launch) / time)), CUT)
    return total / len(rows)


def fit(rows, launch):
    best, step = (0.7, 0.5), 0.16
    lowest = loss(rows, launch, *best)
    while step >= 0.01:
        around = [(best[0] + i * step, best[1] + j * step) for i in (-2, -1, 0, 1, 2) for j in (-2, -1, 0, 1, 2)]
        tried = [(loss(rows, launch, b, c), (b, c)) for b, c in around if 0.04 <= b <= 1 and 0.04 <= c <= 1]
        if min(tried)[0] < lowest:
            lowest, best = min(tried)
        else:
            step /= 2
    return best


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    measured = os.path.join(sys.argv[1], 'truth', 'measured')
    gpus = {name: Gpu(os.path.join(sys.argv[2], 'gpus', f'{id}.yaml')) for name, id in GPUS.items()}
    groups = {}
    for key, floor, *rest in list(product_rows(gpus, os.path.join(measured, 'gemm_aiconfigurator.csv'))) + \
            list(attention_rows(gpus, os.path.join(measured, 'attention_aiconfigurator.csv'))):
        groups.setdefault(key, []).append((floor * 1e6, tuple(rest)))
    last = None
    for (name, kind), rows in sorted(groups.items()):
        tiny = sorted(times[2] for floor, times in rows if floor < TINY)
        if len(tiny) < 5 or len(rows) < 40:
            continue
        launch = tiny[int(QUANTILE * len(tiny))]
        bandwidth, compute = fit([times for _, times in rows], launch)
        if name != last:
            print(f'\n# {GPUS[name]}\nattainable:')
            last = name
        pad = ' ' * (len(kind) + 5)
        print(f'  {kind}: {{bandwidth_share: {bandwidth:.2f}, compute_share: {compute:.2f}, launch_floor: {launch * 1e6:.1f} us,\n'
              f'{pad}derived: true, source: aiconfigurator-data, note: fitted to {len(rows)} times}}')


if __name__ == '__main__':
    main()
