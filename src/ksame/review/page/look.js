// Opens a photo or a clip, whichever it is.

import { openClip } from "./clip.js";
import { openPhoto } from "./photo.js";
import { state } from "./state.js";

export function look(number, face = null) {
  const photo = state.photos[number];
  if (photo) (photo.clip ? openClip : openPhoto)(number, face, look);
}
