/**
 * For bash 3.2 (macOS) and later, without the package bash-completion. `compopt` came with bash 4: without it a space
 * follows where none should.
 */
export const BASH = `# bash completion for kubectl vc-pvc: source it behind kubectl's own.

# $1: how many words in front are not the plugin's own.
__vc_pvc_complete() {
  local first=$1
  local rest=\${COMP_LINE:0:COMP_POINT} trimmed word index out directive line
  local -a words=() lines=()
  # bash splits at the "=" and ":" of --output=json: what no blank parts belongs together.
  for (( index = 0; index <= COMP_CWORD; index++ )); do
    trimmed=\${rest#"\${rest%%[![:space:]]*}"}
    word=\${COMP_WORDS[index]}
    (( index == COMP_CWORD )) && word=$trimmed
    if (( index == 0 || \${#trimmed} < \${#rest} )); then
      words+=("$word")
    else
      words[\${#words[@]}-1]+=$word
    fi
    rest=\${trimmed:\${#word}}
  done
  local typed=\${words[\${#words[@]}-1]}

  out=$(kubectl-vc_pvc __complete "\${words[@]:first}" 2>/dev/null </dev/null) || return
  directive=\${out##*:}
  while IFS= read -r line; do
    [[ $line == ?* && $line != :* ]] && lines+=("$line")
  done <<< "$out"

  if [[ $(type -t compopt) == builtin ]]; then
    (( directive & 2 )) && compopt -o nospace
    (( directive & 4 )) && compopt +o default
    (( directive & 16 )) && compopt -o filenames
  fi
  if (( directive & 16 )); then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -d -- "\${typed##*=}")
    return
  fi

  # A value comes without its flag, and bash replaces only what stands behind the last "=" or ":" it splits at.
  local flag='' cut='' head char
  [[ $typed == -*=* ]] && flag=\${typed%%=*}=
  for char in = :; do
    [[ $COMP_WORDBREAKS == *"$char"* && $typed == *"$char"* ]] || continue
    head=\${typed%"\${typed##*"$char"}"}
    (( \${#head} > \${#cut} )) && cut=$head
  done
  local name longest=0 tab=$'\\t'
  for line in "\${lines[@]}"; do
    name=$flag\${line%%"$tab"*}
    name=\${name#"$cut"}
    (( \${#name} > longest )) && longest=\${#name}
    COMPREPLY+=("$name")
  done
  # Descriptions are for reading only: not where one is inserted at once (a single one, menu-complete).
  (( \${#lines[@]} > 1 )) && [[ $COMP_TYPE != 37 && $COMP_TYPE != 42 ]] || return 0
  for index in "\${!lines[@]}"; do
    [[ \${lines[index]} == *"$tab"* ]] || continue
    printf -v line '%-*s  (%s)' "$longest" "\${COMPREPLY[index]}" "\${lines[index]#*"$tab"}"
    COMPREPLY[index]=\${line:0:\${COLUMNS:-80}}
  done
}

__vc_pvc_direct() {
  COMPREPLY=()
  __vc_pvc_complete 1
}

__vc_pvc_kubectl() {
  if (( COMP_CWORD > 1 )) && [[ \${COMP_WORDS[1]} == vc-pvc ]]; then
    COMPREPLY=()
    __vc_pvc_complete 2
  elif [[ -n \${__vc_pvc_before:-} ]]; then
    "$__vc_pvc_before" "$@"
  fi
}

# What completes kubectl so far goes on doing it.
if [[ "$(complete -p kubectl 2>/dev/null)" =~ \\ -F\\ ([^[:space:]]+) && \${BASH_REMATCH[1]} != __vc_pvc_kubectl ]]; then
  __vc_pvc_before=\${BASH_REMATCH[1]}
fi
complete -o default -F __vc_pvc_kubectl kubectl
complete -o default -F __vc_pvc_direct kubectl-vc_pvc
`;
