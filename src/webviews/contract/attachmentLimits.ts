const MB = 1024 * 1024;

/** Most bytes of one attachment; the host takes no more. */
export const attachmentBytes = 10 * MB;
/** For images. Models reject larger ones. */
export const imageBytes = 5 * MB;
