# Presses TAB in an interactive zsh on a terminal of its own, once for each line, and prints what then stands there.
zmodload zsh/zpty
script=$1; shift
zpty shell "TERM=dumb PS1= zsh -f -i"
zpty -w shell "autoload -Uz compinit; compinit -D -u; source $script"
# What stands in the line is printed by a key of its own; zsh's own drawing cannot be told apart.
zpty -w shell "show() { print -r -- \"<\$BUFFER>\"; BUFFER= }; zle -N show; bindkey '^X' show; print READY\$((1 + 1))"
zpty -r shell out '*READY2*'
for line in "$@"; do
  zpty -w -n shell "$line"$'\t\x18'
  zpty -r shell out $'*<*>*'
  print -r -- "${${out##*<}%%>*}"
done
zpty -d shell
