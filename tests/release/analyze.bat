@echo off
rem Analyses the game records (KIF, KI2, CSA, JKF) that are dropped on this file, or on a link to it.
rem The page with the games is written beside the first record and opened.
if "%~1"=="" (
  echo Drop game records on this file.
  pause
  exit /b 2
)
"%~dp0raicho.exe" analyze %* --html "%~dpn1.html"
if errorlevel 1 pause
if exist "%~dpn1.html" start "" "%~dpn1.html"
