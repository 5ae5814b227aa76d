# SPDX-License-Identifier: Apache-2.0
# fish completion: nettune itself knows what may stand here. Where it knows nothing, files do.
function __nettune_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found ($words[1] complete $words[2..-1] "$current" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path "$current"
    end
end
complete -c nettune -f -a '(__nettune_candidates)'
