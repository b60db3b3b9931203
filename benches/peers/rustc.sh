#!/bin/sh
# Builds libcrux for this very CPU: its intrinsics do not inline otherwise, and it would seem slower
# than it can be; another machine has no say in it. Everything else is built for any CPU of the architecture and chooses at run time.
case "$*" in
*"--target "*) exec "$@" ;;
*"--crate-name libcrux_"*) exec "$@" -C target-cpu=native ;;
*) exec "$@" ;;
esac
