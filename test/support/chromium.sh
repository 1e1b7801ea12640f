#!/bin/sh
# Starts Chromium, which $CHROMIUM names, without the pages that it prepares in every new window for what people type into
# the address bar: a fifth of the processor time of a test. Of several lists of features only the last counts, so these
# join the one of Playwright.
popups=WebUIOmniboxPopup,WebUIOmniboxAimPopup
for argument; do
  case $argument in --disable-features=*) argument=$argument,$popups ;; esac
  set -- "$@" "$argument"
  shift
done
exec "$CHROMIUM" "$@"
