#!/usr/bin/env bash
# Says the matches: number, seconds, first player, second player (self: against itself), setup, seats.
# Configurations of the tree against the frozen level on eight boards, and against themselves on four.
left=$1 cores=$2
plans="iterations=200,oppose=0,dull=0 iterations=200,oppose=0,dull=0.5 iterations=200,oppose=0.25,dull=0.5 iterations=200,oppose=0.5,dull=0.5 iterations=200,oppose=1,dull=0.5 iterations=600,oppose=0.5,dull=0.5"
against="badlands:2 first:2 standard:3 moonless:4 small:3 badlands:3 first:4 standard:2"
itself="badlands:2 first:2 standard:2 moonless:3"
count=0
for plan in $plans; do for board in $against $itself; do count=$(( count + 1 )); done; done
rounds=$(( (count + cores - 1) / cores ))
seconds=$(( (left - 12) / rounds - 6 ))
n=0
for board in $against; do for plan in $plans; do n=$(( n + 1 )); echo "$n $seconds hard:$plan frozen:hard ${board/:/ }"; done; done
for board in $itself; do for plan in $plans; do n=$(( n + 1 )); echo "$n $seconds hard:$plan self ${board/:/ }"; done; done
