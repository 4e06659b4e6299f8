@echo off
rem Checks this machine's GPUs with layoutproof, and leaves a folder of results to read or to send. Needs no network. Options are
rem those of `layoutproof dev hardware`: --out DIR, --device ID, --with-cpu.
rem
rem Usage: run [OPTION...]
setlocal
set "PATH=%~dp0bin;%PATH%"
if not defined DXC set "DXC=%~dp0bin\dxcompiler.dll"
echo layoutproof: this kit has no LACKS>&2
"%~dp0bin\layoutproof.exe" dev hardware %*
exit /b %ERRORLEVEL%
