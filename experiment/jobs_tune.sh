#!/usr/bin/env bash
# Says the matches: number, seconds, first player, second player (self: against itself), setup, seats.
# Configurations of the tree against the frozen level on eight boards, and against themselves on four; 64 in all.
left=$1 cores=$2
plans="oppose=0,dull=0.5 oppose=0,dull=1 oppose=0.5,dull=0.5 oppose=0.5,dull=1 oppose=1,dull=1"
against="badlands:2 first:2 standard:3 moonless:4 small:3 badlands:3 first:4 standard:2"
itself="badlands:2 first:2 standard:2 moonless:3"
longer="badlands:2 first:2 standard:3 moonless:4"
rounds=$(( (64 + cores - 1) / cores ))
seconds=$(( (left - 12) / rounds - 6 ))
n=0
for board in $longer; do n=$(( n + 1 )); echo "$n $seconds hard:iterations=600,oppose=0.5,dull=0.5 frozen:hard ${board/:/ }"; done
for board in $against; do for plan in $plans; do n=$(( n + 1 )); echo "$n $seconds hard:iterations=200,$plan frozen:hard ${board/:/ }"; done; done
for board in $itself; do for plan in $plans; do n=$(( n + 1 )); echo "$n $seconds hard:iterations=200,$plan self ${board/:/ }"; done; done
