/** Which documents of the caller may be written into a blank page: those that run and load nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { standsAlone } from "../../src/capture/loading/stands-alone.ts";

test("documents with text, styles, drawings and data stand alone", () => {
  for (const html of [
    "<!doctype html><title>a</title><h1>b</h1>",
    "<style>h1 { background: linear-gradient(red, blue) } @font-face { font-family: a; src: url('data:font/woff2;base64,AA') }</style>",
    `<p style="background: url(data:image/png;base64,AA)">only = on, conscript, iframes`,
    `<svg xmlns="http://www.w3.org/2000/svg"><use href="#a"/></svg><img alt="" src="data:image/png;base64,AA">`,
    "<template><b>c</b></template><a name=d href='#e'>f</a>",
  ])
    assert.ok(standsAlone(html), html);
});

test("documents that run, load, embed or refer to something don't", () => {
  for (const html of [
    "<script>1</script>",
    "<SCRIPT\nsrc=a>",
    "<svg/onload=alert(1)>",
    "<p\tonclick = 'a'>",
    `<p id="a"ONERROR='b'>`,
    "<iframe srcdoc=a>",
    "<frameset>",
    "<object data=a>",
    "<embed>",
    "<link rel=stylesheet>",
    "<base target=a>",
    "<meta http-equiv=refresh content=0>",
    "<img src=a>",
    "<img srcset = 'a 2x'>",
    "<a href='https://example.com/'>",
    "<svg><image xlink:href=a>",
    "<video poster=a>",
    "<body background=a>",
    "<form action=a>",
    "<p style='background: url(a)'>",
    `<style>@IMPORT "a"</style>`,
    "<style>a { background: image-set('a' 1x) }</style>",
    "<div><template shadowrootmode=open>",
    "\ufeff<p>a",
    "<p>\0",
    "<p>\ud800",
  ])
    assert.ok(!standsAlone(html), html);
});
