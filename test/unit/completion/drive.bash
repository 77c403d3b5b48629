# Presses TAB in a bash: sources the script "$1", then completes each line that follows.
source "$1"
for line in "${@:2}"; do
  # As bash splits it: at blanks, and at "=" and ":" of COMP_WORDBREAKS.
  read -r -a COMP_WORDS <<< "$(sed -E 's/([=:])/ \1 /g' <<< "$line")"
  [[ $line == *' ' ]] && COMP_WORDS+=('')
  COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 )) COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9 COLUMNS=100 COMPREPLY=()
  [[ "$(complete -p "${COMP_WORDS[0]}")" =~ -F\ ([^ ]+) ]]
  "${BASH_REMATCH[1]}" 2>/dev/null
  printf '%s\n' "${COMPREPLY[@]}" ''
done
