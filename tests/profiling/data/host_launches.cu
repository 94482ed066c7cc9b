/* warptune
[kernel]
name = "host_launches"
description = "many launches that do next to nothing: the host's time is the program's"
[problem]
LAUNCHES = 1000
[parameters]
SUBMIT = ["stream", "graph", "waits"]
[default]
SUBMIT = "stream"
[host]
graph = "SUBMIT == 'graph'"
[[host.loop]]
times = "LAUNCHES"
[[host.loop.step]]
launch = "count_launches"
grid = [1]
block = [32]
[[host.loop.step]]
synchronise = true
when = "SUBMIT == 'waits'"
[[argument]]
name = "count"
kind = "inout"
type = "i32"
count = 32
init = { kind = "constant", value = 0 }
[check]
reference = "configuration"
*/
extern "C" __global__ void count_launches(int* count) { count[threadIdx.x] += 1; }
