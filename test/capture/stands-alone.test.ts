/** Which documents of the caller may be written into a blank page: those that run and load nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { standsAlone } from "../../src/capture/loading/stands-alone.ts";

test("documents with text, styles and drawings stand alone", () => {
  for (const html of [
    "<!doctype html><title>a</title><h1>b</h1>",
    "<style>h1 { background: linear-gradient(red, blue) }</style>",
    `<p style="background: red">only = on, conscript, iframes`,
    `<svg xmlns="http://www.w3.org/2000/svg"><use href="#a"/></svg>`,
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
    `<img alt="" src="data:image/gif;base64,AA">`,
    `<img srcset="data:, 1x, http://a.example/x.png 2x">`,
    "<p style='background:u\\72l(http://a.example/)'>",
    "<p style='background:&#117;rl(http://a.example/)'>",
    `<svg><image><set attributeName="href" to="http://a.example/"/></image></svg>`,
    "\ufeff<p>a",
    "<p>\0",
    "<p>\ud800",
  ])
    assert.ok(!standsAlone(html), html);
});
