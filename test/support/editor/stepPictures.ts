/**
 * Whether suites take a picture at each of their steps: `SWITCHBOARD_PICTURES=1`. Drawing them takes time. A test that
 * failed leaves its picture in any case.
 */
export const takesStepPictures = process.env['SWITCHBOARD_PICTURES'] === '1';
