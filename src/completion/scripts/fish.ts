/** For fish 3. */
export const FISH = `# fish completion for kubectl vc-pvc

# $argv[1]: the place of the first word that is the plugin's own.
function __vc_pvc_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l lines (kubectl-vc_pvc __complete $words[$argv[1]..-1] "$typed" 2>/dev/null </dev/null)
    switch "$lines[-1]"
        case :0
            __fish_complete_path "$typed"
        case :16
            __fish_complete_directories "$typed"
        case '*'
            # A value comes without its flag.
            set -l flag (string match -r -- '^-[^=]*=' "$typed")
            for line in $lines[1..-2]
                printf '%s%s\\n' "$flag" $line
            end
    end
end

complete -c kubectl-vc_pvc -f -a '(__vc_pvc_complete 2)'
complete -c kubectl -n 'test "$(commandline -opc)[2]" = vc-pvc' -f -a '(__vc_pvc_complete 3)'
`;
