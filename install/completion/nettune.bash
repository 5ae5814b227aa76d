# SPDX-License-Identifier: Apache-2.0
# bash completion: nettune itself knows what may stand here. Where it knows nothing, files do.
_nettune() {
  # A '=' or ':' belongs to the word: bash would cut NAME=VALUE in three.
  local cur words cword
  _get_comp_words_by_ref -n =: cur words cword
  mapfile -t COMPREPLY < <("$1" complete "${words[@]:1:cword}" 2> /dev/null)
  # What a value follows needs no blank behind it.
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
  # readline replaces only what stands behind the last '=' or ':'.
  local cut=${cur%"${cur##*[=:]}"}
  COMPREPLY=("${COMPREPLY[@]#"$cut"}")
}
complete -o bashdefault -o default -F _nettune nettune
