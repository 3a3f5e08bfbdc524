// Runs a command, sends it Ctrl-C after some milliseconds as a console does, and ends with its exit
// code.
// Usage: ctrl_c.exe MILLISECONDS COMMAND [ARGUMENT…]
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

// The command line from the second argument on, with its quotes.
static wchar_t *rest(wchar_t *line, int words) {
    while (words-- > 0) {
        int quoted = 0;
        for (; *line && (quoted || (*line != L' ' && *line != L'\t')); line++)
            quoted ^= *line == L'"';
        while (*line == L' ' || *line == L'\t')
            line++;
    }
    return line;
}

int wmain(int count, wchar_t **words) {
    if (count < 3)
        return 2;
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    SetConsoleCtrlHandler(NULL, FALSE);
    wchar_t *command = rest(GetCommandLineW(), 2);
    if (!CreateProcessW(NULL, command, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) {
        fprintf(stderr, "the command does not start: error %lu\n", GetLastError());
        return 3;
    }
    Sleep(wcstoul(words[1], NULL, 10));
    SetConsoleCtrlHandler(NULL, TRUE);
    if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) {
        fprintf(stderr, "no console to send Ctrl-C: error %lu\n", GetLastError());
        TerminateProcess(child.hProcess, 4);
    }
    WaitForSingleObject(child.hProcess, INFINITE);
    DWORD code;
    GetExitCodeProcess(child.hProcess, &code);
    return (int)code;
}
