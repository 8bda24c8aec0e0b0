const MB = 1024 * 1024;

/** Most bytes of one attachment; the host takes no more. */
export const attachmentBytes = 10 * MB;
/** Of an image: models refuse larger ones. */
export const imageBytes = 5 * MB;
