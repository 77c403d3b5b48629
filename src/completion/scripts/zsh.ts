/** For zsh 5. */
export const ZSH = `# zsh completion for kubectl vc-pvc: source it behind kubectl's own.

(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }

# $1: how many words in front are not the plugin's own.
__vc_pvc_complete() {
  # Up to the cursor, without quotes.
  local -a args=("\${(@Q)words[$1 + 1,CURRENT - 1]}" "\${(Q)PREFIX}")
  local -a lines=("\${(@f)$(kubectl-vc_pvc __complete "\${args[@]}" 2>/dev/null </dev/null)}") described options
  local directive=\${lines[-1]#:} line value
  [[ $directive == <-> ]] || return 1
  # A value comes without its flag.
  [[ $PREFIX == -*=* ]] && compset -P 1 '*='
  (( directive & 16 )) && { _files -/; return }
  (( directive & 4 )) || { _files; return }
  for line in "\${(@)lines[1,-2]}"; do
    value=\${line%%$'\\t'*}
    described+=("\${value//:/\\\\:}\${\${line#$value}/$'\\t'/:}")
  done
  (( directive & 2 )) && options=(-S '')
  _describe -t values 'kubectl vc-pvc' described "\${(@)options}"
}

__vc_pvc_direct() { __vc_pvc_complete 1 }

__vc_pvc_kubectl() {
  if (( CURRENT > 2 )) && [[ $words[2] == vc-pvc ]]; then
    __vc_pvc_complete 2
  elif [[ -n $__vc_pvc_before ]]; then
    $__vc_pvc_before "$@"
  fi
}

# What completes kubectl so far goes on doing it.
[[ \${_comps[kubectl]} == __vc_pvc_kubectl ]] || __vc_pvc_before=\${_comps[kubectl]}
compdef __vc_pvc_kubectl kubectl
compdef __vc_pvc_direct kubectl-vc_pvc
`;
