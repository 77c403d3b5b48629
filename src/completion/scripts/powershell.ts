/** For PowerShell 5 and later. */
export const POWERSHELL = `# PowerShell completion for kubectl vc-pvc: run it behind kubectl's own.

$__vcPvcBefore = \${__kubectlCompleterBlock}

$__vcPvcComplete = {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
    if ($wordToComplete -eq '') { $words += '' }
    if ($words[0] -match 'vc_pvc(\\.exe)?$') {
        $first = 1
    } elseif ($words.Count -gt 2 -and $words[1] -eq 'vc-pvc') {
        $first = 2
    } elseif ($__vcPvcBefore) {
        return & $__vcPvcBefore $wordToComplete $commandAst $cursorPosition
    } else {
        return
    }
    # Older PowerShells pass no empty argument on, unless it is quoted.
    $legacy = $PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy'
    $passed = @($words | Select-Object -Skip $first | ForEach-Object { if ($_ -eq '' -and $legacy) { '""' } else { $_ } })
    $lines = @(kubectl-vc_pvc __complete @passed 2>$null)
    if ($lines.Count -eq 0) { return }
    # A value comes without its flag.
    $flag = ''
    if ($wordToComplete -match '^(-[^=]*=)') { $flag = $Matches[1] }
    $lines | Select-Object -SkipLast 1 | ForEach-Object {
        $name, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $name }
        [System.Management.Automation.CompletionResult]::new("$flag$name", $name, 'ParameterValue', $description)
    }
}

Register-ArgumentCompleter -Native -CommandName 'kubectl', 'kubectl-vc_pvc' -ScriptBlock $__vcPvcComplete
`;
