#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prolog and Epilog of slurm.conf: a node with a fault that lasts starts no job. Slurm then drains it, with the reason
# "Prolog error" or "Epilog error", and the line is in slurmd's log. An error or a timeout of nettune is no fault.
exec /usr/sbin/nettune doctor --prolog
