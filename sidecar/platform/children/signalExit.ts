/** Shells report a program that a signal ended with an exit code of this plus the signal's number (POSIX, 2.8.2). */
export const SIGNAL_EXIT = 128;
