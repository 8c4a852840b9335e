/** How far one key press or one click on a button moves the camera. */

/** Radians. */
export const ROTATE_STEP = Math.PI / 12;
/** The change of the distance. */
export const ZOOM_STEP_FACTOR = 0.85;
/** Relative to the height of the frame. */
export const PAN_STEP = 0.08;
