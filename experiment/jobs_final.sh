#!/usr/bin/env bash
# The level against the frozen one, every setup and number of seats at once: a process each, all the time that is left.
n=0
for board in badlands:4 standard:4 moonless:4 first:4 small:4 badlands:3 standard:3 moonless:3 first:3 small:3 badlands:2 standard:2 moonless:2 first:2 small:2 duel:2; do
  n=$(( n + 1 )); echo "$n 1000 hard frozen:hard ${board/:/ }"
done
