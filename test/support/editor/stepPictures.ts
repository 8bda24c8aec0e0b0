/**
 * Whether suites save a screenshot of each step (`SWITCHBOARD_PICTURES=1`). Screenshots take time. A test that fails saves one
 * in any case.
 */
export const takesStepPictures = process.env['SWITCHBOARD_PICTURES'] === '1';
