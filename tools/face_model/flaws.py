"""Which faces of the pool look flawed: ``python -m tools.face_model.flaws``.

Modes mix people, and some mixtures are nobody's face: a beard's shadow on a woman, wrinkles of one
person over the skin of another, lips of the wrong colour. All 622 faces of the shipped pool were
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
POOL = "cb73bdf7a3bc5ff4027505028d5c02ac4753f1326ce017b7c8b112b1fc7f01d6"
PLAINLY, PERHAPS = 2, 1
FLAWED = """
    8 9 13 14 19 21 22 25 31 32 33 46 48 53 57 62 67 68 74 75 77 78 81 82 88 94 107 111 116 117
    118 120 126 129 130 133 134 139 143 148 149 150 151 153 155 158 159 161 166 172 174 177 178
    180 181 184 188 194 196 199 202 203 204 205 206 208 212 215 217 223 224 226 227 228 230 231
    240 241 243 244 250 252 253 255 260 262 267 270 271 277 279 280 281 282 283 289 291 294 295
    298 300 301 304 306 307 309 318 319 321 325 327 328 329 332 337 339 340 341 344 346 347 349
    350 352 354 357 363 368 369 371 372 374 376 381 383 389 391 398 401 403 404 412 416 420 421
    422 425 426 428 430 432 433 434 435 437 438 439 442 444 450 456 457 458 461 462 463 464 465
    467 468 474 478 480 485 489 493 497 502 503 504 506 508 510 511 517 518 519 521 522 525 527
    528 532 534 538 539 541 547 553 554 555 556 559 561 564 565 568 569 573 574 576 577 581 583
    584 585 588 591 592 595 596 597 599 600 604 607 608 609 610 612 613 616 617 619
"""
DOUBTED = """
    1 10 11 16 29 30 45 49 52 54 69 70 73 76 79 98 99 100 106 114 128 135 138 162 182 190 193 195
    201 222 233 236 249 264 290 297 334 345 353 362 365 367 377 378 385 386 387 393 395 406 408
    411 419 436 447 449 454 470 471 472 473 475 476 477 483 491 494 501 507 513 524 526 537 542
    546 558 560 562 570 572 575 589 590 593 602 611 618 620
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
