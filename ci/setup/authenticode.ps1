# Checks that Microsoft signed files: for downloads without a published checksum.
#
# Usage: pwsh ci/setup/authenticode.ps1 FILE...
#
# Exits 1 at the first file whose signature is missing, invalid or from another signer.
param([Parameter(Mandatory, ValueFromRemainingArguments)][string[]]$File)
$ErrorActionPreference = "Stop"

foreach ($path in $File) {
    $signature = Get-AuthenticodeSignature -LiteralPath $path
    $signer = $signature.SignerCertificate.Subject
    if ($signature.Status -ne "Valid") {
        Write-Output "error: ${path}: the signature is $($signature.Status): $($signature.StatusMessage)"
        exit 1
    }
    if ($signer -notmatch '(^|, )O=Microsoft Corporation(,|$)') {
        Write-Output "error: ${path}: signed by $signer, not by Microsoft Corporation"
        exit 1
    }
    Write-Output "${path}: signed by $signer"
}
