"""Reads a feed as news readers do. Fails for anything that feedparser finds wrong, or that RFC 4287 demands."""

import sys

import feedparser

feed = feedparser.parse(sys.argv[1])
assert not feed.bozo, feed.get("bozo_exception")
assert feed.version == "atom10", feed.version
for name in ("id", "title", "updated_parsed", "author", "links"):
    assert feed.feed.get(name), f"the feed has no {name}"
for entry in feed.entries:
    for name in ("id", "title", "updated_parsed", "published_parsed", "summary", "content", "link"):
        assert entry.get(name), f"{entry.get('id')} has no {name}"
    assert entry.updated_parsed >= entry.published_parsed, entry.id
    assert entry.id.startswith("tag:"), entry.id
ids = [entry.id for entry in feed.entries]
assert len(ids) == len(set(ids)), "two entries have one id"
print(len(ids))
