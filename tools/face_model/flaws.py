"""Which faces of the pool look flawed: ``python -m tools.face_model.flaws``.

Modes mix people, and some mixtures are nobody's face: a beard's shadow on a woman, wrinkles of one
person over the skin of another, lips of the wrong colour. All 585 faces of the shipped pool were
looked at one by one, bare and worn by a portrait of nobody. Faces with a flaw are chosen last, and
not left out: rare looks have few. The model's file gets what was seen, and a new digest.
"""

from __future__ import annotations

import hashlib
from importlib import resources
from pathlib import Path

import numpy as np
from safetensors.numpy import load
from tools.face_model.train import write

from ksame.codecs.face.storage import FILE

# sha256 of the codes that were looked at
POOL = "fe46eaa14dc03ca0b0c701cb565831bfdac7eef777258bfeedcba2f4557075d9"
PLAINLY, PERHAPS = 2, 1
FLAWED = """
    8 11 12 17 19 20 23 29 30 31 44 46 51 55 60 65 66 72 73 74 75 78 79 85 90 103 107 112 113 114
    116 122 125 126 129 130 134 138 143 144 145 147 149 152 153 155 159 165 167 170 171 173 174
    176 179 184 188 191 192 193 194 195 197 201 204 206 212 213 215 216 217 219 220 229 230 232
    233 239 241 242 244 249 251 256 259 260 266 268 269 270 271 272 278 280 283 284 287 289 290
    293 295 296 297 305 306 308 312 313 314 321 323 325 327 328 329 330 332 334 337 342 347 348
    350 351 353 355 360 362 368 375 378 380 381 388 392 396 397 398 401 403 405 407 408 409 411
    412 413 416 418 424 430 431 434 435 436 437 438 440 441 450 452 456 460 464 471 472 473 475
    477 479 480 486 487 488 490 491 494 496 500 502 506 508 514 520 521 522 523 526 528 531 532
    535 536 540 541 543 544 548 550 551 554 557 558 561 562 563 565 568 571 572 573 574 576 577
    579 580 582
"""
DOUBTED = """
    1 9 14 27 28 43 47 50 52 67 68 71 76 94 95 96 102 110 124 133 156 175 181 183 185 190 211 222
    225 238 253 279 286 318 326 333 341 344 346 356 357 364 365 366 372 383 384 387 395 410 421
    423 428 443 444 445 446 447 448 449 462 465 470 476 482 493 495 505 509 513 525 527 529 537
    539 542 555 556 559 575 581 583
"""


def main() -> None:
    """The command: rewrites the model's file and its digest."""
    folder = Path(str(resources.files("ksame.codecs.face")))
    arrays = load((folder / FILE).read_bytes())
    codes = arrays["faces_codes"]
    if hashlib.sha256(np.ascontiguousarray(codes).tobytes()).hexdigest() != POOL:
        raise SystemExit("the pool is another one than was looked at: look at its faces anew")
    flaws = np.zeros(len(codes), np.uint8)
    for numbers, how in ((FLAWED, PLAINLY), (DOUBTED, PERHAPS)):
        flaws[[int(number) for number in numbers.split()]] = how
    write(arrays | {"faces_flaws": flaws}, folder / FILE)
    counts = np.bincount(flaws, minlength=PLAINLY + 1)
    print(f"{counts[PLAINLY]} faces look flawed and {counts[PERHAPS]} perhaps, of {len(codes)}")


if __name__ == "__main__":
    main()
