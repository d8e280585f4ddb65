#!/bin/sh
# usage: make.sh [FOLDER]: compiles the cubins of this folder again (into FOLDER), each with what ptxas -v says of it.
# Made with CUDA 13.0 (ptxas 13.0.88). resources.*.ptxas12.9, 12.3 and 11.8 were assembled from its PTX by the ptxas of those
# releases (12.9.86, 12.3.107, 11.8.89), which lay cubins out as drivers before CUDA 13 did.
set -e
cd "$(dirname "$0")"
out=${1:-.}
cubin() { # NAME ARCHITECTURE [OPTIONS]
  name=$1 architecture=$2
  shift 2
  nvcc -cubin -gencode arch=compute_$architecture,code=sm_$architecture -Xptxas -v "$@" $name.cu \
    -o "$out/$name.sm_$architecture.cubin" 2>&1 | grep -v "Compile time" >"$out/$name.sm_$architecture.ptxas"
}
for architecture in 80 90a; do cubin mma_sync $architecture; done
cubin mma_sync 120a -DFP4_TARGETS
cubin wgmma 90a
cubin tcgen05 100a -DINT8_TARGETS
for architecture in 75 80 90a 100a; do cubin resources $architecture; done
for architecture in 80 90a; do cubin calls $architecture -dc; done
fatbin() { # NAME OUTPUT [OPTIONS]
  name=$1 to=$2
  shift 2
  nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a \
    -gencode arch=compute_90,code=compute_90 "$@" $name.cu -o "$out/$to"
}
fatbin resources resources.zstd.fatbin -fatbin --compress-mode=size
fatbin resources resources.lz4.fatbin -fatbin --compress-mode=speed -Xfatbin -compress-all
fatbin calls calls.o -dc --compress-mode=size
ar rcD "$out/calls.a" "$out/calls.o"
fatbin calls calls.so -shared -rdc=true -cudart shared --compress-mode=size -Xcompiler -fPIC
strip "$out/calls.so"
