"""The words that the tiny test model can read, and the shapes and colours it can tell apart."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ADJECTIVES = _words(
    """
    amber ancient bitter bold brave brittle calm clever coastal crisp dusty eager early fragile frozen
    gentle giant golden hidden hollow humble late lively lonely mellow modern narrow noble quiet rapid
    rough silent silver simple steady sunny tender velvet vivid wooden
    """
)
NOUNS = _words(
    """
    acorn anchor apple arrow avenue badge bakery balcony bamboo banner barrel basket beacon bench
    bicycle biscuit blanket bottle bridge bronze bucket button cabin cactus camera candle canoe canyon
    carpet castle cellar chapel cherry chimney circus clock cloud coffee comet compass copper coral
    cotton cradle crystal curtain dagger daisy desert diamond dolphin donkey dragon drawer eagle easel
    eclipse elbow emerald engine falcon feather fiddle finger forest fossil fountain galaxy garden
    garlic ginger glacier goblet granite guitar hammer harbour harvest helmet hermit honey horizon igloo
    insect island ivory jacket jaguar jasmine jersey jungle kettle kingdom kitchen kitten ladder lagoon
    lantern lemon library lizard locket lumber magnet mango marble market meadow melody mirror monkey
    mosaic museum mustard napkin needle nutmeg oasis ocean olive opera orchard oyster packet palace
    panther parrot peach pebble pencil pepper piano pigeon pillow planet pocket potato prairie puzzle
    quarry quartz rabbit radish raven reptile ribbon river robin rocket saddle salmon sandal saucer
    shadow shovel sparrow spider sponge squirrel statue stream summit table tailor teapot temple thimble
    thunder tiger timber tomato trumpet tulip tunnel turnip turtle umbrella unicorn valley vanilla
    violin volcano voyage wagon walnut walrus whistle willow window winter yacht zebra zipper badger
    bonnet bracelet cavern cottage hazelnut mammoth ostrich paddle raccoon rainbow sunset teaspoon
    tractor wizard warrior pumpkin mermaid
    """
)
BODY = _words(
    """
    about above annual before budget cost count daily data draft every figure first growth income items
    level little lower march metres month notes number orders other output people price quarter rate
    report result sales second since staff state still stock study tests their there total trade under
    units until upper value visit weekly where while yearly
    """
)
QUESTION = _words("a and for in is of on page show shows the title what which with")
"""Words of questions that say nothing of the page."""
COLOURS: dict[str, tuple[float, float, float]] = {
    "red": (0.86, 0.1, 0.12),
    "green": (0.08, 0.6, 0.2),
    "blue": (0.1, 0.25, 0.85),
    "yellow": (0.97, 0.82, 0.05),
    "purple": (0.55, 0.15, 0.65),
    "grey": (0.5, 0.5, 0.5),
}
SHAPES = ("circle", "square", "triangle", "cross")
READ = (*ADJECTIVES, *NOUNS, *BODY, *COLOURS, *SHAPES)
"""What can stand on a page, in the order of the training's word table."""
