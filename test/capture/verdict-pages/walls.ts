import type { SamplePage } from "./sample-page.ts";

/** Pages that are not what a caller wanted, each with the verdict it deserves. Kinds alternate, so that any half has the same mix. */
export const walls: SamplePage[] = [
  {
    name: "Cloudflare managed challenge",
    expected: "bot_wall",
    path: "/products/41",
    status: 403,
    source: "https://developers.cloudflare.com/cloudflare-challenges/",
    html: `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><meta name="robots" content="noindex,nofollow"><meta name="viewport" content="width=device-width,initial-scale=1">
<style>*{box-sizing:border-box;margin:0;padding:0}body{font-family:system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:#313131}.main-wrapper{display:flex;flex-direction:column;align-items:center;min-height:100vh}.main-content{margin:8rem auto;max-width:60rem;padding:0 1.5rem;width:100%}.h1{font-size:2.5rem;line-height:3.75rem}.h2{font-size:1.5rem;line-height:2.25rem;margin-bottom:2rem}.footer{font-size:.75rem;border-top:1px solid #d9d9d9;padding:1rem;text-align:center;width:100%}</style></head>
<body class="no-js"><div class="main-wrapper" role="main"><div class="main-content"><h1 class="zone-name-title h1">gear.northfell.example</h1><h2 id="challenge-running" class="h2">Verifying you are human. This may take a few seconds.</h2><div id="challenge-stage"></div><div id="challenge-body-text" class="core-msg spacer">gear.northfell.example needs to review the security of your connection before proceeding.</div><noscript><div class="h2"><span id="challenge-error-text">Enable JavaScript and cookies to continue</span></div></noscript></div></div>
<script>(function(){window._cf_chl_opt={cvId:'3',cZone:"gear.northfell.example",cType:'managed',cRay:'8f2a6d1e4b7c9a03',cUPMDTk:"/products/41?__cf_chl_tk=jT0"};var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1?ray=8f2a6d1e4b7c9a03';document.getElementsByTagName('head')[0].appendChild(a);}());</script>
<div class="footer" role="contentinfo"><div>Ray ID: <code>8f2a6d1e4b7c9a03</code></div><div>Performance &amp; security by <a rel="noopener noreferrer" href="https://www.cloudflare.com?utm_source=challenge&amp;utm_campaign=m" target="_blank">Cloudflare</a></div></div></body></html>`,
  },
  {
    name: "Soft 404 of a German shop",
    expected: "error_page",
    path: "/p/kaffeemuehle-alt",
    html: `<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Seite nicht gefunden | Röstwerk Kaffee</title><link rel="stylesheet" href="/bundles/storefront/all.css"><style>body{font-family:Inter,Arial;margin:0}header,footer{background:#2f241c;color:#fff;padding:18px 40px}nav a{color:#e9d9c6;margin-right:20px}main{padding:60px 40px;text-align:center}</style></head><body class="is-ctl-error is-act-notfound"><header><b>Röstwerk</b><nav><a href="/bohnen">Kaffeebohnen</a><a href="/maschinen">Siebträger</a><a href="/zubehoer">Zubehör</a><a href="/account">Konto</a></nav></header><main><h1>Ups! Diese Seite gibt es leider nicht mehr.</h1><p>Die von Ihnen gesuchte Seite wurde nicht gefunden. Möglicherweise wurde sie verschoben, umbenannt oder gelöscht.</p><p>Fehlercode: 404</p><a class="btn" href="/">Zurück zur Startseite</a></main><footer>Versand ab 39 € frei · Impressum · Datenschutz · AGB</footer></body></html>`,
  },
  {
    name: "Django sign-in redirect",
    expected: "login_wall",
    path: "/reports/q3",
    redirect: "/accounts/login/?next=/reports/q3",
    source: "https://docs.djangoproject.com/en/5.1/topics/auth/default/",
    html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Log in | Stockroom</title><link rel="stylesheet" href="/static/css/site.css"></head><body style="font-family:Helvetica,Arial;background:#f4f4f7;margin:0"><div style="max-width:380px;margin:90px auto;background:#fff;padding:32px;border:1px solid #ddd"><h1 style="font-size:22px">Stockroom</h1><p class="messages">Please log in to see this page.</p><form method="post" action="/accounts/login/"><input type="hidden" name="csrfmiddlewaretoken" value="mT2x9hR0"><p><label for="id_username">Username:</label><br><input type="text" name="username" autofocus maxlength="254" required id="id_username"></p><p><label for="id_password">Password:</label><br><input type="password" name="password" required id="id_password"></p><input type="hidden" name="next" value="/reports/q3"><button type="submit">Log in</button></form><p><a href="/accounts/password_reset/">Lost password?</a></p></div></body></html>`,
  },
  {
    name: "DataDome challenge shell",
    expected: "bot_wall",
    path: "/annonces/velos",
    status: 403,
    source: "https://docs.capsolver.com/de/guide/antibots/datadome",
    html: `<html lang="en"><head><title>velomarkt.example</title><style>#cmsg{animation: A 1.5s;}@keyframes A{0%{opacity:0;}99%{opacity:0;}100%{opacity:1;}}</style></head><body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p><script data-cfasync="false">var dd={'rt':'c','cid':'AHrlqAAAAAMA3nVq0kQ4l1gAHU7mXg==','hsh':'05B30BD9055986BD2EE8F5A199D973','t':'bv','s':48118,'e':'a1f0c3','host':'geo.captcha-delivery.com','cookie':'k1u'}</script><script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script></body></html>`,
  },
  {
    name: "Sourcepoint full-page message",
    expected: "consent_wall",
    path: "/politics/2024/sep/24/rail-budget",
    source: "https://docs.sourcepoint.com/",
    html: `<!DOCTYPE html><html lang="en" class="sp-message-open"><head><meta charset="utf-8"><title>Rail budget passes after all-night sitting | The Morning Ledger</title><script src="https://cdn.privacy-mgmt.com/unified/wrapperMessagingWithoutDetection.js" async></script><style>html.sp-message-open,html.sp-message-open body{overflow:hidden;margin:0}div[id^=sp_message_container]{position:fixed;inset:0;z-index:2147483647;background:rgba(0,0,0,.6)}div[id^=sp_message_container] iframe{position:absolute;inset:0;width:100%;height:100%;border:0}</style></head><body style="font-family:Georgia,serif"><header style="background:#052962;color:#fff;padding:20px;font-size:30px">The Morning Ledger</header><article style="max-width:680px;margin:auto"><h1>Rail budget passes after all-night sitting</h1><p>Members voted shortly after four in the morning to approve the largest investment in regional railways for three decades, ending a week of brinkmanship over branch lines in the north.</p><p>The transport minister called the vote a turning point. Opposition speakers warned that two thirds of the sum had already been announced.</p></article><div id="sp_message_container_1173684" role="dialog" aria-modal="true"><iframe id="sp_message_iframe_1173684" title="SP Consent Message" srcdoc="<body style='margin:0;background:#fff;font-family:Arial;padding:8vh 12vw'><div class='message type-modal'><h1>We and our 213 partners use cookies</h1><p>We and our partners store and access personal data, like browsing data or unique identifiers, on your device. Selecting Yes, I accept enables tracking technologies to support the purposes shown under we and our partners process data to provide.</p><p>Use precise geolocation data. Actively scan device characteristics for identification. Store and/or access information on a device. Personalised advertising and content, advertising and content measurement, audience research and services development.</p><button title='Yes, I accept' class='sp_choice_type_11'>Yes, I accept</button> <button title='Manage my cookies' class='sp_choice_type_12'>Manage my cookies</button></div></body>"></iframe></div></body></html>`,
  },
  {
    name: "Sedo parking in German",
    expected: "parked",
    source: "https://sedo.com/",
    html: `<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>wanderschuhwelt.example - wanderschuhwelt Ressourcen und Information.</title><meta name="description" content="wanderschuhwelt.example ist die beste Quelle für alle Informationen die Sie suchen."><script src="https://img.sedoparking.com/js/jquery-1.11.3.custom.min.js"></script><script src="https://www.google.com/adsense/domains/caf.js"></script><style>body{margin:0;font-family:Arial,sans-serif;background:#0e162e;color:#fff;text-align:center}.webarchive-block a{display:block;background:#1b2750;color:#9fd801;margin:10px auto;padding:18px;width:520px;text-align:left;text-decoration:none;font-size:20px}</style></head><body><div class="container-buybox" style="background:#212d54;padding:10px">Diese Domain steht zum Verkauf! <a href="https://sedo.com/search/details/?partnerid=324561&domain=wanderschuhwelt.example" style="color:#fc0">Domain kaufen</a></div><h1>wanderschuhwelt.example</h1><div class="webarchive-block"><p>Verwandte Links</p><a href="#">Wanderschuhe Damen</a><a href="#">Trekkingschuhe Herren</a><a href="#">Bergstiefel Wasserdicht</a><a href="#">Outdoor Sale</a></div><footer style="font-size:11px;color:#888;padding:30px">Die aufgeführten Angebote ("Sponsored Listings") auf dieser Seite kommen von einer dritten Partei und stehen mit Sedo in keiner Beziehung. <a href="#">Privacy Policy</a><br>Der Inhaber dieser Domain parkt diese beim Domain-Parking-Programm.</footer></body></html>`,
  },
  {
    name: "HUMAN press and hold",
    expected: "bot_wall",
    path: "/homes/for-sale",
    status: 403,
    source: "https://stackhack.netwrck.com/stack/sierrarealestate.com",
    html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="px-captcha"><title>Access to this page has been denied</title><script>window._pxVid='';window._pxUuid='2f5d1c9e-7a11-11ef-9a0b-0d2f7c1e83aa';window._pxAppId='PXHb3kQ7zT';window._pxHostUrl='/Hb3kQ7zT/xhr';window._pxJsClientSrc='/Hb3kQ7zT/init.js';window._pxFirstPartyEnabled=true;var script=document.createElement('script');script.src='/Hb3kQ7zT/captcha/captcha.js?a=c&u=2f5d1c9e-7a11-11ef-9a0b-0d2f7c1e83aa&v=&m=0';document.head.appendChild(script);</script><style>body{margin:0;background:#fafbfc;font-family:Roboto,Helvetica,sans-serif}.px-captcha-container{position:fixed;height:340px;background:#fff;width:530px;top:50%;left:50%;margin-top:-170px;margin-left:-265px;border-radius:8px;box-shadow:0 2px 20px rgba(0,0,0,.15);text-align:center;padding-top:40px}.px-captcha-header{font-size:28px;font-weight:500}.px-captcha-message{color:#5a5a5a;padding:20px 60px}</style></head>
<body><div class="px-captcha-container"><div class="px-captcha-header">Before we continue...</div><div class="px-captcha-message">Press &amp; Hold to confirm you are<br>a human (and not a bot).</div><div id="px-captcha"></div><div class="px-captcha-refid">Reference ID <span>2f5d1c9e-7a11-11ef-9a0b-0d2f7c1e83aa</span></div></div></body></html>`,
  },
  {
    name: "GitHub Pages no site",
    expected: "error_page",
    status: 404,
    source: "https://docs.github.com/en/pages/getting-started-with-github-pages/troubleshooting-404-errors-for-github-pages-sites",
    html: `<!DOCTYPE html><html><head><meta http-equiv="Content-type" content="text/html; charset=utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'"><title>Site not found &middot; GitHub Pages</title><style type="text/css">body{background-color:#f1f1f1;margin:0;font-family:"Helvetica Neue",Helvetica,Arial,sans-serif}.container{margin:50px auto 40px auto;width:600px;text-align:center}h1{color:#000;font-size:8em}</style></head><body><div class="container"><h1>404</h1><p><strong>There isn't a GitHub Pages site here.</strong></p><p>If you're trying to publish one, <a href="https://help.github.com/pages/">read the full documentation</a> to learn how to set up <strong>GitHub Pages</strong> for your repository, organization, or user account.</p><div id="suggestions"><a href="https://githubstatus.com">GitHub Status</a> &mdash; <a href="https://twitter.com/githubstatus">@githubstatus</a></div></div></body></html>`,
  },
  {
    name: "Soft 404 of a French magazine",
    expected: "error_page",
    path: "/article/la-recette-perdue",
    html: `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>Page introuvable - Cuisine &amp; Terroir</title><script async src="https://www.googletagmanager.com/gtm.js?id=GTM-TX5J3Q"></script></head><body style="font-family:Georgia,serif;margin:0"><header style="border-bottom:3px double #833;padding:20px;text-align:center;font-size:34px">Cuisine &amp; Terroir</header><nav style="text-align:center;padding:10px"><a href="/recettes">Recettes</a> · <a href="/vins">Vins</a> · <a href="/regions">Régions</a> · <a href="/abonnement">S'abonner</a></nav><main style="max-width:640px;margin:50px auto;text-align:center"><h1>Oups… Cette page n'existe pas</h1><p>La page que vous recherchez est introuvable. Elle a peut-être été supprimée ou l'adresse saisie est incorrecte.</p><form action="/recherche"><input name="q" placeholder="Rechercher une recette"><button>OK</button></form><p><a href="/">Retour à l'accueil</a></p></main></body></html>`,
  },
  {
    name: "Imperva Incapsula resource iframe",
    expected: "bot_wall",
    path: "/claims/search",
    source: "https://github.com/EnableSecurity/wafw00f/blob/master/wafw00f/plugins/incapsula.py",
    html: `<html style="height:100%"><head><META NAME="ROBOTS" CONTENT="NOINDEX, NOFOLLOW"><meta name="format-detection" content="telephone=no"><meta name="viewport" content="initial-scale=1.0"><meta http-equiv="X-UA-Compatible" content="IE=edge,chrome=1"><script type="text/javascript" src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script></head><body style="margin:0px;height:100%"><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=9-28374650-0%20NNNN%20RT%281727170000000%2048%29&incident_id=472000270198734615-96142873649182734&edet=12&cinfo=04000000&rpinfo=0" frameborder=0 width="100%" height="100%" marginheight="0px" marginwidth="0px">Request unsuccessful. Incapsula incident ID: 472000270198734615-96142873649182734</iframe></body></html>`,
  },
  {
    name: "Dashboard app showing its login form",
    expected: "login_wall",
    path: "/app/dashboard",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="/favicon.svg"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Beacon Analytics</title><script type="module" crossorigin src="/assets/index-DrR1kq0T.js"></script><link rel="stylesheet" href="/assets/index-BnQ8z1.css"></head><body style="margin:0;font-family:Inter,system-ui,sans-serif"><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script>document.getElementById('root').innerHTML='<div style="display:grid;place-items:center;min-height:100vh;background:#0f172a"><form style="background:#fff;padding:36px;border-radius:14px;width:340px"><h2>Welcome back</h2><p>Sign in to your Beacon workspace</p><label>Work email<br><input type="email" autocomplete="username" style="width:100%"></label><br><br><label>Password<br><input type="password" autocomplete="current-password" style="width:100%"></label><p><label><input type="checkbox"> Keep me signed in</label></p><button style="width:100%;background:#4f46e5;color:#fff;padding:10px;border:0">Sign in</button><p style="text-align:center">or</p><button type="button" style="width:100%;padding:10px">Continue with Google</button><p>No account yet? <a href="/signup">Start a free trial</a></p></form></div>';</script></body></html>`,
  },
  {
    name: "Akamai access denied",
    expected: "bot_wall",
    path: "/en/flights/search",
    status: 403,
    source: "https://github.com/netbirdio/netbird/issues/3670",
    html: `<HTML><HEAD>
<TITLE>Access Denied</TITLE>
</HEAD><BODY>
<H1>Access Denied</H1>
 
You don't have permission to access "http&#58;&#47;&#47;www&#46;skyferry&#46;example&#47;en&#47;flights&#47;search" on this server.<P>
Reference&#32;&#35;18&#46;a4c83e17&#46;1727170412&#46;3b9f1c2d
<P>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;a4c83e17&#46;1727170412&#46;3b9f1c2d</P>
</BODY>
</HTML>`,
  },
  {
    name: "OneTrust preference layer",
    expected: "consent_wall",
    path: "/collections/autumn",
    html: `<!DOCTYPE html><html lang="en-GB"><head><meta charset="utf-8"><title>Autumn collection | Fell &amp; Thread</title><script src="https://cdn.cookielaw.org/scripttemplates/otSDKStub.js" data-domain-script="3f1a2b7c-11d9-4e7a-a0b5-98c1e2f34a6d"></script><style>body{margin:0;font-family:Montserrat,Arial}.onetrust-pc-dark-filter{position:fixed;inset:0;background:rgba(0,0,0,.7);z-index:2147483645}#onetrust-banner-sdk{position:fixed;z-index:2147483646;left:5vw;right:5vw;top:5vh;bottom:5vh;background:#fff;padding:6vh 8vw;overflow:auto}#onetrust-banner-sdk button{padding:14px 30px;margin:8px;background:#1d3c34;color:#fff;border:0}.grid{display:grid;grid-template-columns:repeat(3,1fr);gap:20px;padding:30px}.grid div{background:#ede6da;height:240px;padding:12px}</style></head><body style="overflow:hidden"><header style="padding:20px;text-align:center;font-size:26px">Fell &amp; Thread</header><div class="grid"><div>Lambswool jumper £89</div><div>Waxed jacket £165</div><div>Corduroy skirt £72</div></div><div id="onetrust-consent-sdk"><div class="onetrust-pc-dark-filter ot-fade-in"></div><div id="onetrust-banner-sdk" class="otCenterRounded default vertical-align-content" role="dialog" aria-modal="true" aria-label="Privacy"><h2 id="onetrust-policy-title">Your privacy, your choice</h2><div id="onetrust-policy-text">When you visit our website, we and our partners store cookies on your browser to collect information. The information collected might relate to you, your preferences or your device, and is mostly used to make the site work as you expect it to and to provide a more personalized web experience. Click on the different category headings to find out more and change our default settings. <a href="/cookie-policy">Cookie policy</a></div><div id="onetrust-button-group"><button id="onetrust-pc-btn-handler">Cookies Settings</button><button id="onetrust-reject-all-handler">Reject All</button><button id="onetrust-accept-btn-handler">Accept All Cookies</button></div></div></div></body></html>`,
  },
  {
    name: "Soft 404 of a Japanese city office",
    expected: "error_page",
    path: "/kurashi/gomi/2019.html",
    html: `<!DOCTYPE html><html lang="ja"><head><meta charset="UTF-8"><title>ページが見つかりません｜みなと浜市公式サイト</title></head><body style="font-family:Meiryo,sans-serif;margin:0"><div id="header" style="background:#0a6;color:#fff;padding:16px">みなと浜市</div><ul style="display:flex;gap:24px;list-style:none"><li><a href="/kurashi/">くらし・手続き</a></li><li><a href="/kosodate/">子育て・教育</a></li><li><a href="/kanko/">観光</a></li><li><a href="/shisei/">市政情報</a></li></ul><div id="main" style="padding:30px"><h1>お探しのページが見つかりません</h1><p>申し訳ございません。お探しのページは移動または削除された可能性があります。</p><p>URLに誤りがないかご確認いただくか、トップページまたはサイト内検索からお探しください。</p><p><a href="/">トップページへ戻る</a></p></div></body></html>`,
  },
  {
    name: "AWS WAF captcha",
    expected: "bot_wall",
    path: "/listing/8841",
    status: 405,
    source: "https://github.com/Needslq/aws-amazon-captcha-solving",
    html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Human Verification</title><style>body{font-family:"Arial";background:#fff;margin:0}main{max-width:460px;margin:80px auto;border:1px solid #d5dbdb;padding:24px}.amzn-captcha-modal-title{font-weight:700;font-size:20px}</style><script type="text/javascript">window.awsWafCookieDomainList=[];window.gokuProps={"key":"AQIDAHjcYu/GjX+QlghicBgQ/7bFaQZ+m5FKCMDnO+vTbNg96AHT9v2","iv":"CgAHijsrUgAAAF9Q","context":"7nvk1WyHqVvS5uPqB4"};</script><script src="https://b2d9c1a7e4f0.9f8e7d6c.eu-west-1.token.awswaf.com/b2d9c1a7e4f0/challenge.js"></script><script src="https://b2d9c1a7e4f0.9f8e7d6c.eu-west-1.captcha.awswaf.com/b2d9c1a7e4f0/captcha.js"></script></head>
<body><div id="captcha-container"><main><div class="amzn-captcha-modal-title">Let's confirm you are human</div><p>Complete the security check before continuing. This step verifies that you are not a bot, which helps to protect your account and prevent spam.</p><button id="amzn-captcha-verify-button" type="button">Begin</button><p><select aria-label="Language"><option>English</option><option>Deutsch</option></select></p></main></div><noscript><h1>JavaScript is disabled</h1>In order to continue, we need to verify that you're not a robot. This requires JavaScript. Enable JavaScript and then reload the page.</noscript></body></html>`,
  },
  {
    name: "App shell whose scripts never arrive",
    expected: "blank",
    path: "/board",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Corkboard</title><meta name="viewport" content="width=device-width,initial-scale=1"><script defer src="https://static.corkboard-cdn.example/js/main.4c2fd1.js"></script><link href="https://static.corkboard-cdn.example/css/main.9a81.css" rel="stylesheet"></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>`,
  },
  {
    name: "AD FS organizational sign-in",
    expected: "login_wall",
    path: "/sites/finance/Shared%20Documents",
    redirect: "/adfs/ls/?SAMLRequest=fZJRT8IwFIX%2FStP3rRtjKM1GghAjCSph6INvXXcnTbp29t4R%2FfdWBgk%2BSF%2FPPf3OPe0NqtZ2ct7T3m3gswckFp53sMo",
    source: "https://learn.microsoft.com/en-us/windows-server/identity/ad-fs/operations/ad-fs-user-sign-in-customization",
    html: `<!DOCTYPE html><html lang="en-US"><head><meta charset="utf-8"><meta name="robots" content="noindex, nofollow"><title>Sign In</title><link rel="stylesheet" type="text/css" href="/adfs/portal/css/style.css"><style>body{margin:0;font-family:"Segoe UI",Arial;display:flex;height:100vh}#brandingWrapper{flex:1;background:linear-gradient(#2c4a6b,#86a9c9)}#contentWrapper{width:500px;padding:80px 50px;box-sizing:border-box}input{width:100%;padding:8px;margin:4px 0;box-sizing:border-box}</style></head><body class="body"><div id="fullPage" style="display:contents"><div id="brandingWrapper" class="float"></div><div id="contentWrapper" class="float"><div id="header">Halden Marine Group</div><div id="workArea"><div id="loginMessage" class="groupMargin">Sign in with your organizational account</div><form method="post" id="loginForm" autocomplete="off" novalidate><input id="userNameInput" name="UserName" type="email" tabindex="1" placeholder="someone@example.com" autocomplete="off"><input id="passwordInput" name="Password" type="password" tabindex="2" placeholder="Password" autocomplete="off"><div id="submissionArea"><span id="submitButton" class="submit" tabindex="4" role="button" style="background:#2672ec;color:#fff;padding:6px 20px;display:inline-block">Sign in</span></div></form></div><div id="footer" style="margin-top:120px;font-size:12px">&copy; 2024 Microsoft &nbsp; Home &nbsp; Help</div></div></div></body></html>`,
  },
  {
    name: "Cloudflare block page",
    expected: "bot_wall",
    path: "/forum/thread/1189",
    status: 403,
    source: "https://github.com/Ekultek/WhatWaf/issues/11",
    html: `<!DOCTYPE html><html class="no-js" lang="en-US"><head><title>Attention Required! | Cloudflare</title><meta charset="UTF-8"><meta name="robots" content="noindex, nofollow"><link rel="stylesheet" id="cf_styles-css" href="/cdn-cgi/styles/cf.errors.css"></head><body style="font-family:system-ui,sans-serif;margin:0"><div id="cf-wrapper"><div class="cf-alert cf-alert-error cf-cookie-error" id="cookie-alert" style="display:none">Please enable cookies.</div><div id="cf-error-details" class="cf-error-details-wrapper" style="max-width:960px;margin:60px auto"><div class="cf-wrapper cf-header cf-error-overview"><h1 data-translate="block_headline">Sorry, you have been blocked</h1><h2 class="cf-subheadline"><span data-translate="unable_to_access">You are unable to access</span> anglersboard.example</h2></div><div class="cf-section cf-wrapper"><div class="cf-columns two" style="display:flex;gap:40px"><div class="cf-column"><h2 data-translate="blocked_why_headline">Why have I been blocked?</h2><p data-translate="blocked_why_detail">This website is using a security service to protect itself from online attacks. The action you just performed triggered the security solution. There are several actions that could trigger this block including submitting a certain word or phrase, a SQL command or malformed data.</p></div><div class="cf-column"><h2 data-translate="blocked_resolve_headline">What can I do to resolve this?</h2><p data-translate="blocked_resolve_detail">You can email the site owner to let them know you were blocked. Please include what you were doing when this page came up and the Cloudflare Ray ID found at the bottom of this page.</p></div></div></div><div class="cf-error-footer cf-wrapper"><p>Cloudflare Ray ID: <strong>8f29c0b7ae1d5f44</strong> &bull; Your IP: <span>203.0.113.77</span> &bull; <span>Performance &amp; security by</span> <a href="https://www.cloudflare.com/5xx-error-landing">Cloudflare</a></p></div></div></div></body></html>`,
  },
  {
    name: "Nginx default page",
    expected: "parked",
    source: "https://nginx.org/en/docs/beginners_guide.html",
    html: `<!DOCTYPE html>
<html>
<head>
<title>Welcome to nginx!</title>
<style>
html { color-scheme: light dark; }
body { width: 35em; margin: 0 auto;
font-family: Tahoma, Verdana, Arial, sans-serif; }
</style>
</head>
<body>
<h1>Welcome to nginx!</h1>
<p>If you see this page, the nginx web server is successfully installed and
working. Further configuration is required.</p>

<p>For online documentation and support please refer to
<a href="http://nginx.org/">nginx.org</a>.<br/>
Commercial support is available at
<a href="http://nginx.com/">nginx.com</a>.</p>

<p><em>Thank you for using nginx.</em></p>
</body>
</html>`,
  },
  {
    name: "Next.js client-side exception",
    expected: "error_page",
    path: "/dashboard/charts",
    source: "https://nextjs.org/docs/app/building-your-application/routing/error-handling",
    html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ledgerly</title><script src="/_next/static/chunks/webpack-8fa1597c4c5a0f1e.js" async></script><script src="/_next/static/chunks/main-app-2c1d9f7be3.js" async></script></head><body><div id="__next" style="font-family:system-ui,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;height:100vh;text-align:center;display:flex;flex-direction:column;align-items:center;justify-content:center"><div style="line-height:48px"><h2 style="font-size:14px;font-weight:400;line-height:28px">Application error: a client-side exception has occurred while loading app.ledgerly.example (see the browser console for more information).</h2></div></div></body></html>`,
  },
  {
    name: "Sucuri firewall block",
    expected: "bot_wall",
    path: "/blog/",
    status: 403,
    source: "https://github.com/Ekultek/WhatWaf/issues/1164",
    html: `<!DOCTYPE html><html lang="en" xmlns="http://www.w3.org/1999/xhtml"><head><link rel="stylesheet" href="https://cdn.sucuri.net/sucuri-firewall-block.css"><meta name="viewport" content="width=device-width, initial-scale=1.0"><title>Sucuri WebSite Firewall - Access Denied</title><style>body{font-family:"Open Sans",Arial,sans-serif;margin:0}header{background:#2a3744;color:#fff;padding:20px}section{padding:30px;max-width:900px;margin:auto}td{border:1px solid #ddd;padding:8px}</style></head><body><div id="main-container"><header class="app-header clearfix"><div class="wrap"><span class="logo-neartext">Website Firewall</span> <a href="https://sucuri.net/?utm_source=firewall_block" class="site-link" style="color:#9cf">Back to sucuri.net</a></div></header><section class="app-content access-denied clearfix"><div class="box center width-max-940"><h1 class="brand-font font-size-xtra no-margin">Access Denied - Sucuri Website Firewall</h1><p class="medium-text code-snippet">If you are the site owner (or you manage this site), please whitelist your IP or if you think this block is an error please <a href="https://support.sucuri.net/?utm_source=firewall_block" class="color-green underline">open a support ticket</a> and make sure to include the block details (displayed in the box below), so we can assist you in troubleshooting the issue.</p><h2>Block details:</h2><table class="property-table overflow-break-all line-height-16"><tr><td>Your IP:</td><td>203.0.113.77</td></tr><tr><td>URL:</td><td>www.harrowcrafts.example/blog/</td></tr><tr><td>Your Browser:</td><td>Mozilla/5.0 (X11; Linux x86_64)</td></tr><tr><td>Block ID:</td><td>BNP005</td></tr><tr><td>Block reason:</td><td>Bad bot access attempt.</td></tr><tr><td>Server ID:</td><td>19016</td></tr></table></div></section><footer>&copy; Sucuri Inc. All rights reserved. <a href="https://sucuri.net/privacy-policy">Privacy</a></footer></div></body></html>`,
  },
  {
    name: "Usercentrics layer in a shadow root",
    expected: "consent_wall",
    path: "/ratgeber/daemmung",
    source: "https://docs.usercentrics.com/",
    html: `<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Dämmung im Altbau – Hausratgeber</title><link rel="preconnect" href="//app.usercentrics.eu"><script id="usercentrics-cmp" src="https://app.usercentrics.eu/browser-ui/latest/loader.js" data-settings-id="Xk3Jq8fPz" async></script></head><body style="margin:0;font-family:Arial;overflow:hidden"><header style="background:#f2b705;padding:16px 40px">Hausratgeber</header><article style="padding:30px 40px"><h1>Dämmung im Altbau: Was sich wirklich lohnt</h1><p>Die oberste Geschossdecke ist fast immer der erste Schritt: Sie lässt sich günstig dämmen, und die Ersparnis ist im ersten Winter spürbar.</p></article><div id="usercentrics-root" data-created-at="1727171000000"><template shadowrootmode="open"><div style="position:fixed;inset:0;background:rgba(20,20,20,.75);z-index:9999999"><div data-testid="uc-center-container" role="dialog" aria-modal="true" style="position:absolute;inset:6vh 10vw;background:#fff;padding:5vh 6vw;overflow:auto"><h2 id="uc-privacy-title">Datenschutzeinstellungen</h2><div id="uc-privacy-description"><p>Diese Website nutzt Website-Tracking-Technologien von Dritten, um ihre Dienste anzubieten, stetig zu verbessern und Werbung entsprechend der Interessen der Nutzer anzuzeigen. Ich bin damit einverstanden und kann meine Einwilligung jederzeit mit Wirkung für die Zukunft widerrufen oder ändern.</p></div><button data-testid="uc-more-button">Mehr Informationen</button> <button data-testid="uc-deny-all-button">Ablehnen</button> <button data-testid="uc-accept-all-button">Alles akzeptieren</button><p><a href="/datenschutz">Datenschutzerklärung</a> | <a href="/impressum">Impressum</a></p><p style="font-size:11px">Powered by Usercentrics Consent Management</p></div></div></template></div></body></html>`,
  },
  {
    name: "WordPress database error in Italian",
    expected: "error_page",
    path: "/chi-siamo/",
    status: 500,
    source: "https://wordpress.org/documentation/article/common-wordpress-errors/",
    html: `<!DOCTYPE html><html lang="it-IT"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><title>Errore del database</title><style>html{background:#f1f1f1}body{background:#fff;border:1px solid #ccd0d4;color:#444;font-family:-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,sans-serif;margin:2em auto;padding:1em 2em;max-width:700px}</style></head><body id="error-page"><div class="wp-die-message"><h1>Errore nello stabilire una connessione al database</h1></div></body></html>`,
  },
  {
    name: "Google unusual traffic",
    expected: "bot_wall",
    path: "/search?q=dry+stone+walls",
    status: 429,
    redirect: "/sorry/index?continue=https://www.google.com/search%3Fq%3Ddry%2Bstone%2Bwalls&q=EgTLAHFN",
    source: "https://support.google.com/websearch/answer/86640",
    html: `<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN"><html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"><meta name="viewport" content="initial-scale=1"><title>https://www.google.com/search?q=dry+stone+walls</title></head><body style="font-family: arial, sans-serif; background-color: #fff; color: #000; padding:20px; font-size:18px;" onload="e=document.getElementById('captcha');if(e){e.focus();}"><div style="max-width:400px;"><hr noshade size="1" style="color:#ccc; background-color:#ccc;"><br><form id="captcha-form" action="index" method="post"><script src="https://www.google.com/recaptcha/enterprise.js" async defer></script><div id="recaptcha" class="g-recaptcha" data-sitekey="6LfwuyUTAAAAAOAmoS0fdqijC2PbbdH4kjq62Y1b" data-callback="submitCallback"></div><input type="hidden" name="q" value="EgTLAHFN"></form><hr noshade size="1" style="color:#ccc; background-color:#ccc;"><div style="font-size:13px;"><b>About this page</b><br><br>Our systems have detected unusual traffic from your computer network. This page checks to see if it's really you sending the requests, and not a robot. <a href="#">Why did this happen?</a><br><br>IP address: 203.0.113.77<br>Time: 2024-09-24T09:13:41Z<br>URL: https://www.google.com/search?q=dry+stone+walls<br></div></div></body></html>`,
  },
  {
    name: "German customer account",
    expected: "login_wall",
    path: "/mein-konto/bestellungen",
    redirect: "/mein-konto/anmelden?ziel=%2Fmein-konto%2Fbestellungen",
    html: `<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Anmelden | Gartenhof Versand</title></head><body style="margin:0;font-family:Arial"><header style="background:#3b6e22;color:#fff;padding:16px 40px">Gartenhof Versand &nbsp; <a style="color:#fff" href="/pflanzen">Pflanzen</a> <a style="color:#fff" href="/saatgut">Saatgut</a> <a style="color:#fff" href="/werkzeug">Werkzeug</a></header><main style="display:flex;gap:80px;padding:40px"><form method="post"><h1>Ich bin bereits Kunde</h1><p>Bitte melden Sie sich an, um Ihre Bestellungen einzusehen.</p><p><label>E-Mail-Adresse oder Kundennummer<br><input name="email" type="text"></label></p><p><label>Passwort<br><input name="passwort" type="password"></label></p><button>Anmelden</button> <a href="/passwort-vergessen">Passwort vergessen?</a></form><section><h2>Neu bei Gartenhof?</h2><p>Mit einem Kundenkonto bestellen Sie schneller, verfolgen Ihre Lieferungen und sammeln Treuepunkte.</p><a href="/registrieren">Jetzt registrieren</a></section></main><footer style="padding:20px 40px;background:#eee">Impressum · AGB · Datenschutz · Widerruf</footer></body></html>`,
  },
  {
    name: "Soft 404 of a Spanish travel agency",
    expected: "error_page",
    path: "/ofertas/canarias-mayo",
    html: `<!DOCTYPE html><html lang="es"><head><meta charset="utf-8"><title>Error 404: página no encontrada | Viajes Almar</title></head><body style="margin:0;font-family:Lato,Arial"><header style="background:#05668d;color:#fff;padding:20px 50px">Viajes Almar <span style="float:right">902 555 014 · Mis reservas</span></header><section style="text-align:center;padding:80px 20px"><h1 style="font-size:90px;margin:0">404</h1><h2>¡Vaya! No hemos podido encontrar la página que buscas</h2><p>Puede que el enlace esté roto o que la página haya sido eliminada. Comprueba la dirección o vuelve a la página de inicio.</p><a href="/">Volver al inicio</a></section><footer style="background:#eee;padding:20px 50px">Aviso legal · Política de privacidad · Contacto</footer></body></html>`,
  },
  {
    name: "Amazon character captcha in German",
    expected: "bot_wall",
    path: "/dp/B0C7KXQ1R4",
    source: "https://github.com/a-maliarov/amazoncaptcha",
    html: `<!DOCTYPE html><!--[if lt IE 7]> <html lang="de" class="a-no-js a-lt-ie9"> <![endif]--><html class="a-no-js" lang="de"><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"><title dir="ltr">Amazon.de</title><link rel="stylesheet" href="https://images-na.ssl-images-amazon.com/images/G/01/AUIClients/AmazonUI-3c913031596ca78a3768f4e934b1cc02ce238101.css"><style>body{font-family:Arial;margin:0}.a-container{max-width:460px;margin:60px auto}.a-box{border:1px solid #ddd;border-radius:4px;padding:14px 18px}</style></head><body><!-- To discuss automated access to Amazon data please contact api-services-support@amazon.com. --><div class="a-container a-padding-double-large"><div class="a-row a-spacing-double-large"><h4>Geben Sie die Zeichen unten ein</h4><p class="a-last">Wir bitten um Ihr Verständnis und wollen uns sicher sein dass Sie kein Bot sind. Für beste Resultate, verwenden Sie bitte einen Browser der Cookies akzeptiert.</p></div><div class="a-box a-alert a-alert-info"><form method="get" action="/errors/validateCaptcha" name=""><input type="hidden" name="amzn" value="k3hYd8+9xQ=="><input type="hidden" name="amzn-r" value="&#047;dp&#047;B0C7KXQ1R4"><label for="captchacharacters">Geben Sie die angezeigten Zeichen im Bild ein:</label><div class="a-row a-text-center"><img width="200" height="70" alt="" src="https://images-na.ssl-images-amazon.com/captcha/usvmgloq/Captcha_kwrrnqwkph.jpg"></div><input autocomplete="off" spellcheck="false" id="captchacharacters" name="field-keywords" class="a-span12" type="text"> <a onclick="window.location.reload()">Neues Bild versuchen</a><br><button type="submit" class="a-button-text">Weiter shoppen</button></form></div><p><a href="https://www.amazon.de/gp/help/customer/display.html/?nodeId=505048">Unsere AGB</a> <a href="https://www.amazon.de/gp/help/customer/display.html/?nodeId=3312401">Datenschutzerklärung</a><br>&copy; 1996-2015, Amazon.com, Inc. oder Tochtergesellschaften</p></div></body></html>`,
  },
  {
    name: "Anubis proof of work",
    expected: "bot_wall",
    path: "/project/tree/main",
    source: "https://github.com/TecharoHQ/anubis",
    html: `<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title><link rel="stylesheet" href="/.within.website/x/xess/xess.min.css?cachebuster=v1.21.3"><meta name="viewport" content="width=device-width, initial-scale=1.0"><meta name="robots" content="noindex,nofollow"><style>body,html{background:#f9f5d7;color:#1d2021;font-family:Geist,sans-serif}main{max-width:50rem;margin:2rem auto;text-align:center}#progress{width:90%;max-width:400px;height:2rem;border-radius:1rem;border:1px solid #b16286;margin:1rem auto}</style><script id="anubis_version" type="application/json">"v1.21.3"</script><script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4,"report_as":4},"challenge":"6c1ed0b4f9"}</script><script id="anubis_base_prefix" type="application/json">""</script></head><body id="top"><main><h1 id="title" class="centered-div">Making sure you&#39;re not a bot!</h1><div class="centered-div"><img id="image" style="width:100%;max-width:256px;" src="/.within.website/x/cmd/anubis/static/img/pensive.webp?cacheBuster=v1.21.3" alt=""><p id="status">Loading...</p><script async type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs?cacheBuster=v1.21.3"></script><div id="progress" role="progressbar" aria-labelledby="status"><div class="bar-inner"></div></div><details><summary>Why am I seeing this?</summary><p>You are seeing this because the administrator of this website has set up Anubis to protect the server against the scourge of aggressive scraping. Anubis is a compromise. It uses a Proof-of-Work scheme in the vein of Hashcash.</p></details><noscript><p>Sadly, you must enable JavaScript to get past this challenge.</p></noscript></div><footer><p>Protected by <a href="https://github.com/TecharoHQ/anubis">Anubis</a> From <a href="https://techaro.lol">Techaro</a>. Made with &#10084;&#65039; in &#127464;&#127462;.</p><p>Mascot design by <a href="https://bsky.app/profile/celphase.bsky.social">CELPHASE</a>.</p></footer></main></body></html>`,
  },
  {
    name: "MySQL failure on a Polish site",
    expected: "error_page",
    path: "/aktualnosci.php?id=12",
    source: "https://www.php.net/manual/en/mysqli.construct.php",
    html: `<br />
<b>Warning</b>:  mysqli_connect(): (HY000/2002): Connection refused in <b>/home/klub/public_html/inc/db.php</b> on line <b>14</b><br />
<br />
<b>Warning</b>:  mysqli_query() expects parameter 1 to be mysqli, bool given in <b>/home/klub/public_html/aktualnosci.php</b> on line <b>31</b><br />
Błąd połączenia z bazą danych: Connection refused. Spróbuj ponownie później.`,
  },
  {
    name: "Social network profile gate",
    expected: "login_wall",
    path: "/mira.pottery/",
    redirect: "/accounts/login/?next=%2Fmira.pottery%2F&source=omni_redirect",
    html: `<!DOCTYPE html><html class="_9dls" lang="en" dir="ltr"><head><meta charset="utf-8"><title>Login • Shutterly</title><meta name="robots" content="noimageindex, noarchive"><script defer src="https://static.shutterly-cdn.example/rsrc/v3/login.js"></script></head><body style="margin:0;background:#fafafa;font-family:-apple-system,'Segoe UI',Roboto,sans-serif"><div style="width:350px;margin:80px auto;background:#fff;border:1px solid #dbdbdb;padding:40px;box-sizing:border-box;text-align:center"><div style="font:italic 40px Georgia">Shutterly</div><form id="loginForm" method="post" style="margin-top:24px"><input aria-label="Phone number, username, or email" name="username" type="text" placeholder="Phone number, username, or email" style="width:100%;padding:9px;margin:4px 0;box-sizing:border-box"><input aria-label="Password" name="password" type="password" placeholder="Password" style="width:100%;padding:9px;margin:4px 0;box-sizing:border-box"><button type="submit" style="width:100%;padding:8px;background:#0095f6;color:#fff;border:0;border-radius:8px">Log in</button></form><p>OR</p><p><a href="#">Log in with Facebook</a></p><p><a href="/accounts/password/reset/">Forgot password?</a></p></div><div style="width:350px;margin:0 auto;background:#fff;border:1px solid #dbdbdb;padding:20px;box-sizing:border-box;text-align:center">Don't have an account? <a href="/accounts/emailsignup/">Sign up</a></div><footer style="text-align:center;color:#737373;font-size:12px;margin-top:40px">About · Help · Press · API · Jobs · Privacy · Terms · Locations · English</footer></body></html>`,
  },
  {
    name: "Google consent page in German",
    expected: "consent_wall",
    path: "/maps/@48.1,11.5,12z",
    redirect: "/ml?continue=https://www.google.com/maps/@48.1,11.5,12z&gl=DE&m=0&pc=m&hl=de",
    source: "https://policies.google.com/technologies/cookies?hl=de",
    html: `<!DOCTYPE html><html lang="de" dir="ltr"><head><meta charset="utf-8"><base href="https://consent.google.com/"><title>Bevor Sie zu Google Maps weitergehen</title><style>body{margin:0;font-family:Roboto,Helvetica,Arial,sans-serif;color:#202124}.box{max-width:520px;margin:24px auto;border:1px solid #dadce0;border-radius:8px;padding:24px}button{padding:8px 24px;border-radius:4px;border:1px solid #dadce0;background:#1a73e8;color:#fff;margin-right:8px}</style></head><body><div class="box"><div style="font-size:22px">Google</div><div style="text-align:right">Anmelden</div><h1 style="font-weight:400">Bevor Sie zu Google weitergehen</h1><p>Wir verwenden Cookies und Daten für folgende Zwecke:</p><ul><li>Dienste bereitstellen und verbessern</li><li>Ausfälle prüfen und Maßnahmen gegen Spam, Betrug und Missbrauch ergreifen</li><li>Daten zu Zielgruppeninteraktionen und Websitestatistiken erheben</li></ul><p>Wenn Sie „Alle akzeptieren“ auswählen, verwenden wir Cookies und Daten auch, um neue Dienste zu entwickeln, Werbung auszuliefern und ihre Wirkung zu messen sowie personalisierte Inhalte und Werbung anzuzeigen.</p><form action="https://consent.google.com/save" method="POST" style="display:inline"><input type="hidden" name="set_eom" value="true"><button aria-label="Alle ablehnen">Alle ablehnen</button></form><form action="https://consent.google.com/save" method="POST" style="display:inline"><button aria-label="Alle akzeptieren">Alle akzeptieren</button></form><p><a href="#">Weitere Optionen</a></p><hr><p style="font-size:12px"><a href="https://policies.google.com/privacy">Datenschutzerklärung</a> · <a href="https://policies.google.com/terms">Nutzungsbedingungen</a></p></div></body></html>`,
  },
  {
    name: "ParkingCrew landing page",
    expected: "parked",
    source: "https://www.parkingcrew.com/",
    html: `<!DOCTYPE html><html data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKrfIMFkSaoTSqKmC"><head><meta charset="utf-8"><title>cheapharbortours.example</title><script src="//d38psrni17bvxu.cloudfront.net/scripts/js3caf.js"></script><script src="http://www.google.com/adsense/domains/caf.js?abp=1"></script><style>body{margin:0;background:#101c36;color:#fff;font-family:Arial}.domain{text-align:center;font-size:40px;padding:50px}.wrapper2 a{color:#9fd801;font-size:22px;display:block;padding:16px;border-bottom:1px solid #2a3f6e;width:460px;margin:auto}</style></head><body id="afd" style="visibility:visible"><div style="text-align:center;padding:8px;font-size:13px">This domain name may be for sale. Please <a href="http://domaincntrol.example/inquiry" style="color:#fff">click here to inquire</a>.</div><div class="domain">cheapharbortours.example</div><div class="wrapper2"><span style="display:block;text-align:center">Related Searches</span><a href="#">Boat Tour Tickets</a><a href="#">Sightseeing Cruises</a><a href="#">Cheap City Passes</a></div><div class="footer" style="text-align:center;font-size:11px;padding:60px;color:#8aa">2024 Copyright. All Rights Reserved.<br>The Sponsored Listings displayed above are served automatically by a third party. Neither the service provider nor the domain owner maintain any relationship with the advertisers. In case of trademark issues please contact the domain owner directly (contact information can be found in whois).<br><a href="http://www.parkingcrew.net/privacy.html">Privacy Policy</a></div></body></html>`,
  },
  {
    name: "F5 request rejected",
    expected: "bot_wall",
    path: "/portal/permits?status=open&sort=-date",
    source: "https://infrarunbook.com/article/f5-asm-waf-blocking-legitimate-traffic",
    html: `<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 14396929317839226498<br><br><a href='javascript:history.back();'>[Go Back]</a></body></html>`,
  },
  {
    name: "DataDome access restricted in French",
    expected: "bot_wall",
    path: "/billetterie/concert-2291",
    status: 403,
    html: `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>billets-scene.example</title><meta name="viewport" content="width=device-width, initial-scale=1"><script data-cfasync="false">var dd={'rt':'b','cid':'AHrlqAAAAAMAk3','hsh':'9D463B509A4C91FDFF39B265B3E2BC','t':'bv','host':'geo.captcha-delivery.com'}</script><style>body{margin:0;font-family:Roboto,Arial,sans-serif;background:#f7f8fa;display:flex;justify-content:center}.captcha__human{background:#fff;max-width:520px;margin-top:12vh;padding:32px;border-radius:10px;box-shadow:0 1px 8px #0002}li{margin:6px 0}</style></head><body><div class="captcha__human"><div class="captcha__robot"></div><h1 class="captcha__human__title" style="font-size:24px">L'accès est temporairement restreint</h1><p>Nous avons détecté une activité inhabituelle provenant de votre appareil ou de votre réseau.</p><p>Les raisons peuvent inclure :</p><ul><li>Des clics ou des appuis rapides</li><li>JavaScript désactivé ou inopérant</li><li>Une activité automatisée (bot) sur votre réseau</li><li>L'utilisation d'outils de développement ou d'inspection</li></ul><p>Besoin d'aide ? <a href="#feedback">Envoyer un commentaire</a>.</p><p style="color:#777;font-size:12px">ID : 7d4f0b1c-92a5-c0e8-51ff-30a7c4d2b9e6</p></div><script src="https://ct.captcha-delivery.com/i.js" data-cfasync="false"></script></body></html>`,
  },
  {
    name: "Soft 404 of a Russian shop",
    expected: "error_page",
    path: "/catalog/lampy/old-132",
    html: `<!DOCTYPE html><html lang="ru"><head><meta charset="utf-8"><title>404 - Страница не найдена</title><script src="https://mc.yandex.ru/metrika/tag.js" async></script></head><body style="font-family:Arial;margin:0"><div style="background:#ffdb4d;padding:16px 40px"><b>Светлый Дом</b> &nbsp; Каталог &nbsp; Доставка &nbsp; Контакты &nbsp; 8 800 555-01-42</div><div style="padding:60px 40px"><h1>Страница не найдена</h1><p>К сожалению, запрашиваемая вами страница не существует. Возможно, она была удалена, переименована или вы ввели неправильный адрес.</p><p>Вы можете перейти <a href="/">на главную страницу</a> или воспользоваться <a href="/catalog/">каталогом</a>.</p></div></body></html>`,
  },
  {
    name: "French energy supplier",
    expected: "login_wall",
    path: "/espace-client/factures/2024-08",
    redirect: "/connexion?retour=/espace-client/factures/2024-08",
    html: `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>Connexion à votre espace client – Voltéo</title><script src="https://cdn.tagcommander.com/4021/tc_volteo_20.js"></script></head><body style="margin:0;font-family:'Source Sans Pro',Arial"><header style="padding:18px 40px;border-bottom:4px solid #ff7a00">Voltéo — Particuliers</header><main style="max-width:460px;margin:50px auto"><h1>Me connecter à mon espace client</h1><p>Pour accéder à vos factures, identifiez-vous.</p><form method="post"><label>Adresse e-mail<br><input type="email" name="identifiant" required style="width:100%"></label><br><br><label>Mot de passe<br><input type="password" name="mdp" required style="width:100%"></label><p><label><input type="checkbox"> Se souvenir de moi</label></p><button style="background:#ff7a00;color:#fff;border:0;padding:12px 30px">Se connecter</button></form><p><a href="/mdp-oublie">Mot de passe oublié ?</a> · <a href="/creer-compte">Créer mon compte</a></p></main></body></html>`,
  },
  {
    name: "Cloudflare error 1020",
    expected: "bot_wall",
    path: "/api-docs/reference",
    status: 403,
    source: "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-1xxx-errors/",
    html: `<!DOCTYPE html><html class="no-js" lang="en-US"><head><title>Access denied | data.tidewatch.example used Cloudflare to restrict access</title><meta charset="UTF-8"><meta name="robots" content="noindex, nofollow"><link rel="stylesheet" id="cf_styles-css" href="/cdn-cgi/styles/main.css"></head><body style="margin:0;font-family:system-ui,sans-serif"><div id="cf-wrapper"><div id="cf-error-details" class="p-0"><header class="mx-auto pt-10" style="max-width:900px;margin:60px auto 20px"><h1 class="inline-block"><span class="inline-block" data-translate="error">Error</span> <span class="code-label">1020</span></h1> <span class="inline-block">Ray ID: 8f2b0d6c4e915a7f &bull;</span> <span>2024-09-24 09:31:07 UTC</span><h2 class="text-gray-600">Access denied</h2></header><section style="max-width:900px;margin:auto;display:flex;gap:60px"><div><h2 data-translate="what_happened">What happened?</h2><p>This website is using a security service to protect itself from online attacks.</p></div><div><h2 data-translate="what_can_i_do">What can I do?</h2><p>Provide the website owner with your Ray ID so that they can look into why you were blocked.</p></div></section><div class="cf-error-footer" style="text-align:center;margin-top:50px">Cloudflare Ray ID: <strong>8f2b0d6c4e915a7f</strong> &bull; Your IP: 203.0.113.77 &bull; Performance &amp; security by <a href="https://www.cloudflare.com/5xx-error-landing">Cloudflare</a></div></div></div></body></html>`,
  },
  {
    name: "Heroku no such app",
    expected: "error_page",
    status: 404,
    source: "https://devcenter.heroku.com/articles/error-codes",
    html: `<!DOCTYPE html><html><head><meta name="viewport" content="width=device-width, initial-scale=1"><meta charset="utf-8"><title>Heroku | Welcome to your new app!</title><style>html,body{font-family:sans-serif;-ms-text-size-adjust:100%;background-color:#f7f8fb;height:100%;margin:0;color:#6c6b9b}.container{max-width:700px;margin:12vh auto;text-align:center}</style></head><body><div class="container"><h1>There's nothing here, yet.</h1><p class="s-16">Build something amazing</p><p><a href="https://devcenter.heroku.com/start">Learn how to deploy</a></p><p>No such app. If you are the application owner, check the logs for details. You can do this from the Heroku CLI with the command <code>heroku logs --tail</code></p></div></body></html>`,
  },
  {
    name: "Didomi popup in French",
    expected: "consent_wall",
    path: "/sante/sommeil-10-conseils",
    source: "https://developers.didomi.io/",
    html: `<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><title>Mieux dormir : 10 conseils de spécialistes</title><script src="https://sdk.privacy-center.org/7f2d0c1a-48e9-4a77-9f0b-2d51c3e8b6aa/loader.js?target=santejour.example" async></script><style>body{margin:0;font-family:Lora,Georgia}.didomi-popup-backdrop{position:fixed;inset:0;background:rgba(0,0,0,.65);z-index:2147483640;display:flex;align-items:center;justify-content:center}.didomi-popup-container{background:#fff;width:82vw;height:84vh;padding:40px;box-sizing:border-box;overflow:auto;font-family:Arial}button{padding:14px 28px;margin:10px}</style></head><body class="didomi-popup-open" style="overflow:hidden"><header style="padding:20px;background:#e8f4f2;font-size:28px">Santé Jour</header><article style="padding:20px 60px"><h1>Mieux dormir : 10 conseils de spécialistes</h1><p>Se coucher à heure fixe, éloigner les écrans, aérer la chambre : les gestes les plus simples restent les plus efficaces.</p></article><div id="didomi-host" class="didomi-host" data-nosnippet="true" aria-hidden="false"><div id="didomi-popup" class="didomi-popup-backdrop didomi-notice-popup didomi-popup__backdrop"><div class="didomi-popup-container" role="dialog" aria-modal="true"><div style="text-align:right"><span class="didomi-continue-without-agreeing" role="button" tabindex="0">Continuer sans accepter →</span></div><h1 class="didomi-popup-notice-logo-text">Le respect de votre vie privée est notre priorité</h1><div class="didomi-popup-notice-text"><p>Avec votre accord, nos 874 partenaires et nous utilisons des cookies ou technologies similaires pour stocker, consulter et traiter des données personnelles telles que votre visite sur ce site internet, les adresses IP et les identifiants de cookie. Vous pouvez retirer votre consentement à tout moment.</p><p>Publicités et contenu personnalisés, mesure de performance des publicités et du contenu, études d'audience et développement de services.</p></div><div id="buttons"><button id="didomi-notice-learn-more-button">Paramétrer</button><button id="didomi-notice-agree-button" style="background:#0a7;color:#fff;border:0">Accepter &amp; Fermer</button></div></div></div></div></body></html>`,
  },
  {
    name: "Turnstile interstitial in German",
    expected: "bot_wall",
    path: "/inserat/2718281",
    source: "https://developers.cloudflare.com/turnstile/",
    html: `<!doctype html><html lang="de"><head><meta charset="utf-8"><title>Sicherheitsüberprüfung – Kleinmarkt</title><meta name="viewport" content="width=device-width,initial-scale=1"><script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script><style>body{margin:0;min-height:100vh;display:grid;place-items:center;background:#eef2f0;font-family:Inter,Arial,sans-serif}.card{background:#fff;padding:40px;border-radius:12px;max-width:420px;text-align:center}</style></head><body><div class="card"><strong>Kleinmarkt</strong><h1>Nur noch ein Schritt</h1><p>Bitte bestätigen Sie, dass Sie ein Mensch sind, um fortzufahren.</p><form method="post" action="/verify"><div class="cf-turnstile" data-sitekey="0x4AAAAAAADnPIDROrmt1Wwj" data-callback="onOk" data-language="de"></div><input type="hidden" name="ziel" value="/inserat/2718281"><button type="submit" disabled>Weiter</button></form><p><small>Diese Prüfung schützt Kleinmarkt vor automatisierten Zugriffen.</small></p></div></body></html>`,
  },
  {
    name: "Maintenance page in Dutch",
    expected: "error_page",
    html: `<!DOCTYPE html><html lang="nl"><head><meta charset="utf-8"><title>Onderhoud - Fietsenhoek</title><style>body{margin:0;min-height:100vh;display:flex;align-items:center;justify-content:center;background:#ffefd9;font-family:"Nunito",Arial}div{max-width:560px;text-align:center}</style></head><body class="magento-maintenance"><div><svg width="120" height="60" viewBox="0 0 120 60"><circle cx="25" cy="40" r="18" fill="none" stroke="#d35"/><circle cx="95" cy="40" r="18" fill="none" stroke="#d35"/></svg><h1>We zijn zo terug!</h1><p>Onze webshop is tijdelijk niet bereikbaar wegens gepland onderhoud. We werken hard om alles weer in orde te maken.</p><p>Probeer het over enkele minuten opnieuw. Vragen? Bel 020-555 01 88.</p></div></body></html>`,
  },
  {
    name: "GoDaddy domain for sale",
    expected: "parked",
    redirect: "/lander",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>brightmeadow.example</title><script>window.LANDER_SYSTEM="PW"</script><script defer src="https://img1.wsimg.com/parking-lander/static/js/main.d9ebfa7c.js"></script><style>body{margin:0;font-family:gdsherpa,Helvetica,Arial,sans-serif;background:#f5f7f8}main{max-width:860px;margin:60px auto;background:#fff;padding:50px;display:flex;justify-content:space-between}button{background:#111;color:#fff;padding:14px 30px;border:0}</style></head><body><div id="root"><div style="background:#111;color:#fff;padding:10px;text-align:center">This domain is registered, but may still be available. <a style="color:#1bdbdb" href="https://www.godaddy.com/forsale/brightmeadow.example?utm_source=TDFS_BINNS2&utm_medium=parkedpages">Get this domain</a></div><main><div><h1>brightmeadow.example</h1><p>is for sale</p><p>Would you like to buy this domain? Find out or call +1-866-284-4125.</p></div><form><p>Get a price in less than 24 hours</p><p><input placeholder="First name"></p><p><input placeholder="Email address"></p><button type="button">Get price</button></form></main><footer style="text-align:center;font-size:12px">Copyright &copy; 1999-2024 GoDaddy, LLC. All rights reserved. <a href="https://www.godaddy.com/agreements/privacy">Privacy Policy</a></footer></div></body></html>`,
  },
  {
    name: "Wordfence access limited",
    expected: "bot_wall",
    path: "/recipes/",
    status: 503,
    source: "https://github.com/litepress/litepress.cn",
    html: `<!DOCTYPE html><html><head><meta charset="UTF-8"><title>Your access to this site has been limited by the site owner</title><style>html{font-family:"Helvetica Neue",Helvetica,Arial,sans-serif;font-size:.875rem;line-height:1.43;color:#333}body{margin:0}a{color:#00709e}.wf-container{max-width:940px;margin:60px auto;display:flex}.wf-h1{font-weight:200;font-size:2.6rem}</style></head><body><div class="wf-header-logo-container"></div><div class="wf-container"><div><h1 class="wf-h1">Your access to this site has been limited by the site owner</h1><p>Your access to this service has been limited. (HTTP response code 503)</p><p>If you think you have been blocked in error, contact the owner of this site for assistance.</p><p>If you are a WordPress user with administrative privileges on this site, please enter your email address in the box below and click "Send". You will then receive an email that helps you regain access.</p><form method="POST" action="/wp-admin/admin-ajax.php?action=wordfence_unlock"><input type="email" name="email" placeholder="email@example.com"> <input type="submit" class="wf-btn" value="Send Unlock Email"></form><h3>Block Technical Data</h3><table><tr><th>Block Reason:</th><td>Access from your area has been temporarily limited for security reasons</td></tr><tr><th>Time:</th><td>Tue, 24 Sep 2024 9:40:12 GMT</td></tr></table><h3>About Wordfence</h3><p>Wordfence is a security plugin installed on over 5 million WordPress sites.</p><p><em>Generated by Wordfence at Tue, 24 Sep 2024 9:40:12 GMT.<br>Your computer's time: <script>document.write(new Date().toUTCString())</script></em></p></div></div></body></html>`,
  },
  {
    name: "Japanese members page without redirect",
    expected: "login_wall",
    path: "/mypage/orders",
    html: `<!DOCTYPE html><html lang="ja"><head><meta charset="UTF-8"><title>ログイン｜花冠オンラインストア</title></head><body style="font-family:'Yu Gothic',Meiryo,sans-serif;margin:0"><div style="background:#fbeff2;padding:18px;text-align:center;font-size:24px">花冠オンラインストア</div><div style="width:480px;margin:40px auto"><h1 style="font-size:20px;border-left:6px solid #d36;padding-left:10px">会員ログイン</h1><p style="color:#c00">このページをご覧いただくにはログインが必要です。</p><form action="/mypage/login_check" method="post"><p>メールアドレス<br><input type="text" name="login_email" style="width:100%"></p><p>パスワード<br><input type="password" name="login_pass" style="width:100%"></p><p><label><input type="checkbox" name="login_memory" value="1">次回から自動的にログインする</label></p><p><button type="submit">ログイン</button></p></form><p><a href="/forgot">ログイン情報をお忘れですか？</a>　<a href="/entry">新規会員登録</a></p></div></body></html>`,
  },
  {
    name: "Vercel security checkpoint",
    expected: "bot_wall",
    path: "/pricing",
    status: 429,
    source: "https://github.com/vercel/next.js/discussions/59436",
    html: `<!DOCTYPE html><html lang="en" data-astro-cid-j7pv25f6><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex, nofollow"><title>Vercel Security Checkpoint</title><style>:root{color-scheme:light dark}body{margin:0;height:100vh;font-family:-apple-system,"Segoe UI",Roboto,sans-serif;color:#171717;background:#fff}.container{height:100%;display:flex;align-items:center;justify-content:center}#spinner{width:40px;height:40px;border:2px solid #999;border-radius:50%;margin:0 auto 16px}#root p{margin:4px 0;text-align:center}.footer{position:fixed;bottom:24px;width:100%;text-align:center;font-size:12px;color:#666}</style></head><body><div id="root"><div class="container"><div><div id="spinner"></div><p id="header-text">We're verifying your browser</p><p><a href="https://vercel.link/security-checkpoint" target="_blank" id="fix-text">Website owner? Click here to fix</a></p></div></div></div><div class="footer"><span id="footer-text">Vercel Security Checkpoint | fra1::1727170980-4kJt0Yb2n7Ew</span></div><noscript>Enable JavaScript to continue</noscript><script type="module" src="/.well-known/vercel/security/static/challenge.v2.min.js"></script></body></html>`,
  },
  {
    name: "Empty document with a white spacer",
    expected: "blank",
    html: `<!DOCTYPE html><html><head><meta charset="utf-8"><title></title></head><body bgcolor="#ffffff"><div style="height:1200px">&nbsp;</div><img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" width="1" height="1" alt=""></body></html>`,
  },
  {
    name: "Soft 404 of a Brazilian news site",
    expected: "error_page",
    path: "/noticia/2018/03/enchente.html",
    html: `<!DOCTYPE html><html lang="pt-BR"><head><meta charset="utf-8"><title>Página não encontrada</title></head><body style="margin:0;font-family:'Open Sans',Arial"><header style="background:#a00;color:#fff;padding:14px 30px;font-weight:700">Diário do Vale</header><nav style="padding:10px 30px;border-bottom:1px solid #ccc">Política · Economia · Esportes · Cultura · Tempo</nav><main style="padding:40px 30px"><h1>Ops! Página não encontrada</h1><p>O conteúdo que você procura não existe, mudou de endereço ou não está mais disponível.</p><p>Verifique se digitou o endereço corretamente ou use a busca.</p><form><input type="search" placeholder="Buscar no Diário do Vale"></form></main></body></html>`,
  },
  {
    name: "German pay-or-accept wall",
    expected: "consent_wall",
    path: "/wirtschaft/mieten-steigen-weiter",
    source: "https://github.com/easylist/easylist/issues/6076",
    html: `<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Mieten steigen weiter – Der Landbote</title><script async src="https://cmp-cdn.contentpass.net/4b8a1f/cp.js"></script><style>body{margin:0;font-family:Merriweather,Georgia;overflow:hidden}.purlayer{position:fixed;inset:0;background:#fff;z-index:99999;overflow:auto;font-family:Arial}.purlayer .cols{display:flex;gap:30px;max-width:960px;margin:30px auto}.purlayer .cols>div{flex:1;border:1px solid #bbb;padding:26px}.purlayer button{width:100%;padding:14px;border:0;background:#004a99;color:#fff;font-size:16px}</style></head><body><article style="padding:40px"><h1>Mieten steigen weiter</h1><p>In den sieben größten Städten sind die Angebotsmieten im dritten Quartal erneut gestiegen.</p></article><div class="purlayer" id="cp-first-layer"><h1 style="text-align:center;padding-top:30px">Der Landbote</h1><h2 style="text-align:center">Wie möchten Sie landbote.example nutzen?</h2><div class="cols"><div><h3>Weiter mit Werbung</h3><p>Besuchen Sie landbote.example wie gewohnt mit Werbung und Tracking. Details zum Tracking finden Sie in der Datenschutzerklärung und in den Details zur Einwilligung.</p><button>Akzeptieren und weiter</button><p>Ihre Zustimmung ist jederzeit widerrufbar.</p></div><div><h3>PUR-Abo – weiter ohne Werbetracking</h3><p>Nutzen Sie unser Angebot ohne Werbetracking und praktisch werbefrei für 4,99 €/Monat.</p><button>Jetzt PUR abonnieren</button><p>Bereits PUR-Leser? <a href="/pur/login">Hier anmelden</a></p></div></div><p style="max-width:960px;margin:auto;font-size:13px">Zusammen mit unseren 182 Partnern verarbeiten wir personenbezogene Daten: Informationen auf einem Gerät speichern und/oder abrufen, personalisierte Werbung und Inhalte, Messung von Werbeleistung und der Performance von Inhalten, Zielgruppenforschung. <a href="/datenschutz">Datenschutz</a> · <a href="/impressum">Impressum</a></p></div></body></html>`,
  },
  {
    name: "DDoS-Guard check in Russian",
    expected: "bot_wall",
    path: "/forum/viewtopic.php?t=881",
    status: 403,
    source: "https://github.com/4miners/axios-ddos-guard-bypass/issues/5",
    html: `<!DOCTYPE html><html lang="ru"><head><title>DDoS-Guard</title><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow"><link rel="stylesheet" href="/.well-known/ddos-guard/js-challenge/index.css"><style>body{margin:0;font-family:Inter,Arial,sans-serif;background:#fff;text-align:center}.container{margin:18vh auto;max-width:520px}</style></head><body data-ddg-origin="true" data-ddg-l10n="true"><div class="container"><div class="container__icon"></div><h1 id="title" class="title">Проверка браузера перед переходом на сайт radioshema.example</h1><p id="description" class="text">Пожалуйста, подождите несколько секунд. После завершения проверки вы будете перенаправлены автоматически.</p><div id="request-info">Идентификатор запроса: 5f1c82e0aa7b</div><noscript>Для прохождения проверки включите JavaScript и cookie.</noscript></div><footer>DDoS protection by <a href="https://ddos-guard.net/">DDos-Guard</a></footer><script src="/.well-known/ddos-guard/js-challenge/index.js" id="ddg-l10n-script"></script><script src="https://check.ddos-guard.net/check.js"></script></body></html>`,
  },
  {
    name: "WordPress admin in Spanish",
    expected: "login_wall",
    path: "/wp-admin/edit.php",
    redirect: "/wp-login.php?redirect_to=https%3A%2F%2Fclubmontana.example%2Fwp-admin%2Fedit.php&reauth=1",
    source: "https://developer.wordpress.org/reference/functions/auth_redirect/",
    html: `<!DOCTYPE html><html lang="es-ES"><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><title>Acceder &lsaquo; Club de Montaña Peñalara — WordPress</title><meta name="robots" content="max-image-preview:large, noindex, noarchive"><link rel="stylesheet" href="/wp-includes/css/dashicons.min.css"><link rel="stylesheet" href="/wp-admin/css/login.min.css"></head><body class="login no-js login-action-login wp-core-ui locale-es-es" style="background:#f0f0f1;font-family:-apple-system,sans-serif;font-size:13px"><div id="login" style="width:320px;padding:5% 0 0;margin:auto"><h1><a href="https://es.wordpress.org/">Funciona gracias a WordPress</a></h1><form name="loginform" id="loginform" action="/wp-login.php" method="post" style="background:#fff;border:1px solid #c3c4c7;padding:26px 24px"><p><label for="user_login">Nombre de usuario o correo electrónico</label><br><input type="text" name="log" id="user_login" class="input" size="20" autocomplete="username"></p><div class="user-pass-wrap"><label for="user_pass">Contraseña</label><br><input type="password" name="pwd" id="user_pass" class="input password-input" size="20"></div><p class="forgetmenot"><input name="rememberme" type="checkbox" id="rememberme"> <label for="rememberme">Recuérdame</label></p><p class="submit"><input type="submit" name="wp-submit" id="wp-submit" class="button button-primary button-large" value="Acceder"></p></form><p id="nav"><a href="/wp-login.php?action=lostpassword">¿Has olvidado tu contraseña?</a></p><p id="backtoblog"><a href="/">&larr; Ir a Club de Montaña Peñalara</a></p></div></body></html>`,
  },
  {
    name: "Kasada empty challenge",
    expected: "bot_wall",
    path: "/buy/list-1",
    status: 429,
    source: "https://docs.hypersolutions.co/",
    html: `<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=typeof performance!=='undefined'&&performance.now?performance.now.bind(performance):Date.now.bind(Date);KPSDK.start=KPSDK.now();</script><script src="/149e9513-01fa-4fb0-aad4-566afd725d1b/2d206a39-8ed7-437e-a3be-862e0f06eea3/ips.js?KP_UIDz=0ZhprgzXdlDhhn0esTCQPf&x-kpsdk-im=AAIrLhMy"></script></body></html>`,
  },
  {
    name: "Shopify shop unavailable",
    expected: "error_page",
    path: "/collections/all",
    html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sorry, this shop is currently unavailable.</title><meta name="referrer" content="never"><style>*{box-sizing:border-box}body{font-family:ShopifySans,Helvetica,Arial,sans-serif;background:#f1f1f1;margin:0}.page{max-width:700px;margin:10rem auto;padding:0 2rem}h1{font-size:2.4rem;font-weight:400}</style></head><body><div class="page"><a href="https://www.shopify.com/"><img src="https://cdn.shopify.com/shopifycloud/shopify_assets/logo.svg" alt="Shopify" width="120"></a><h1>Sorry, this shop is currently unavailable.</h1><p>Are you the store owner? <a href="/admin">Log in here</a></p><p>Start a free trial &amp; enjoy 3 months of Shopify for $1/month on select plans. <a href="https://www.shopify.com/free-trial">Start free trial</a></p></div></body></html>`,
  },
  {
    name: "Netlify site not found",
    expected: "error_page",
    status: 404,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Site not found</title><style>body{font-family:-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,sans-serif;background:#f6f6f6;color:#0e1e25;margin:0;display:flex;height:100vh;align-items:center;justify-content:center}.card{background:#fff;border-radius:8px;padding:32px;max-width:500px;box-shadow:0 2px 12px #0002}</style></head><body><div class="card"><h1>Site not found</h1><p>Looks like you followed a broken link or entered a URL that doesn't exist on Netlify.</p><p>If this is your site, and you weren't expecting a 404 for this path, please visit Netlify's <a href="https://answers.netlify.com/t/support-guide-i-ve-deployed-my-site-but-i-still-see-page-not-found/125">"page not found" support guide</a> for troubleshooting tips.</p><p>Netlify Internal ID: <code>01J8J3Q7V5W1K0YB2N</code></p></div></body></html>`,
  },
  {
    name: "Reddit network security block",
    expected: "bot_wall",
    path: "/r/woodworking/",
    status: 403,
    source: "https://github.com/elebumm/RedditVideoMakerBot/issues/2221",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Blocked</title><meta name="viewport" content="width=device-width, initial-scale=1"><style>body{font-family:-apple-system,BlinkMacSystemFont,"Segoe UI",Roboto,sans-serif;margin:0;background:#fff;color:#0e1113}.theme-beta{max-width:560px;margin:16vh auto;text-align:center;padding:0 16px}.btn{display:inline-block;border-radius:999px;padding:10px 18px;background:#d93900;color:#fff;text-decoration:none;margin:6px}</style></head><body class="theme-beta"><svg width="64" height="64" viewBox="0 0 64 64"><circle cx="32" cy="32" r="32" fill="#ff4500"/></svg><h1>You've been blocked by network security.</h1><p>To continue, log in to your Reddit account or use your developer token</p><p>If you think you've been blocked by mistake, file a ticket below and we'll look into it.</p><a class="btn" href="https://www.reddit.com/login/">Log in</a><a class="btn" href="https://support.reddithelp.com/hc/en-us/requests/new?ticket_form_id=21879292693140">File a ticket</a></body></html>`,
  },
  {
    name: "Bodis lander",
    expected: "parked",
    source: "https://tinkerhost.net/blog/why-do-i-see-bodis-parking-page",
    html: `<!doctype html><html data-adblockkey="MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBANDrp2lz7AOmADaN8tA50LsWcjLFyQFcb" lang="en" style="background:#2b2b2b"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:image/png;base64,iVBORw0KGgo="><link rel="preconnect" href="https://www.google.com" crossorigin></head><body style="margin:0;font-family:Arial;color:#fff"><div id="target" style="opacity:1"><div style="text-align:center;padding:40px;font-size:30px">loanshelpnow.example</div><div style="width:600px;margin:auto"><p style="color:#aaa">Related searches:</p><div style="border:1px solid #777;padding:20px;margin:8px;font-size:20px">Debt Consolidation Loans</div><div style="border:1px solid #777;padding:20px;margin:8px;font-size:20px">Instant Approval Credit</div><div style="border:1px solid #777;padding:20px;margin:8px;font-size:20px">Personal Loan Rates</div></div><p style="text-align:center;font-size:11px;color:#999;margin-top:60px">Copyright &copy; 2024 loanshelpnow.example. All rights reserved. Privacy Policy</p></div><script>window.park="eyJ1dWlkIjoiNGE2YjFkOWMtMGYyZS00YjY4In0=";</script><script src="/bLmkXwVpR.js"></script></body></html>`,
  },
  {
    name: "Dutch consent dialog element",
    expected: "consent_wall",
    path: "/regio/markt-terug",
    html: `<!DOCTYPE html><html lang="nl"><head><meta charset="utf-8"><title>Weekmarkt keert terug op het plein | Streekblad</title><style>body{margin:0;font-family:Arial}dialog{width:100vw;height:100vh;max-width:none;max-height:none;border:0;padding:10vh 18vw;box-sizing:border-box}dialog::backdrop{background:#000c}dialog button{padding:14px 26px;font-size:16px;margin-right:12px}</style></head><body><header style="background:#c8102e;color:#fff;padding:18px 40px;font-size:26px">Streekblad</header><article style="padding:30px 40px"><h1>Weekmarkt keert terug op het plein</h1><p>Na twee jaar werkzaamheden staan de kramen zaterdag weer rond de kerk. De marktmeester verwacht ruim veertig kooplieden.</p></article><dialog id="privacy-dialog" aria-labelledby="pt"><h1 id="pt">Wij gebruiken cookies</h1><p>Streekblad en derde partijen plaatsen cookies om de website goed te laten werken, het gebruik te meten en advertenties en artikelen af te stemmen op jouw interesses. Met deze cookies kunnen wij en anderen je internetgedrag binnen en buiten onze website volgen.</p><p>Door op ‘Akkoord’ te klikken ga je hiermee akkoord. Je kunt je keuze altijd aanpassen via je privacy-instellingen.</p><button id="akkoord">Akkoord</button><button>Instellen</button><p><a href="/privacy">Privacybeleid</a> en <a href="/cookies">cookiebeleid</a></p></dialog><script>document.getElementById('privacy-dialog').showModal();</script></body></html>`,
  },
  {
    name: "Generic hCaptcha gate",
    expected: "bot_wall",
    path: "/listings/boats",
    source: "https://docs.hcaptcha.com/",
    html: `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Security check</title><script src="https://js.hcaptcha.com/1/api.js" async defer></script><link rel="stylesheet" href="/assets/challenge.css"></head><body style="font-family:Verdana,sans-serif;background:#0b2239;color:#fff;margin:0"><div style="width:480px;margin:15vh auto;background:#fff;color:#222;padding:30px;border-radius:6px"><h1 style="font-size:22px">Are you a robot?</h1><p>We have noticed a large number of requests from your address. Please tick the box below to show us that you are a person and we will take you straight back to what you were doing.</p><form action="/challenge/verify" method="POST"><div class="h-captcha" data-sitekey="10000000-ffff-ffff-ffff-000000000001"></div><input type="hidden" name="return_to" value="/listings/boats"><button type="submit">Continue to Harbour Listings</button></form><p style="font-size:12px;color:#888">Request reference: 66f28b1c-0f3d</p></div></body></html>`,
  },
  {
    name: "Keycloak single sign-on in Portuguese",
    expected: "login_wall",
    path: "/intranet/escalas",
    redirect: "/auth/realms/hospital/protocol/openid-connect/auth?client_id=intranet&response_type=code&scope=openid&state=b91f20",
    source: "https://www.keycloak.org/docs/latest/server_admin/",
    html: `<!DOCTYPE html><html class="login-pf" lang="pt-BR"><head><meta charset="utf-8"><meta name="robots" content="noindex, nofollow"><title>Entrar em Hospital Santa Clara</title><link href="/auth/resources/8xq2k/login/keycloak/css/login.css" rel="stylesheet"><style>body{background:#0b3c5d;margin:0;font-family:RedHatText,Arial}.card-pf{background:#fff;max-width:460px;margin:40px auto;padding:24px 40px;border-top:4px solid #39a5dc}#kc-header-wrapper{color:#fff;text-align:center;padding-top:60px;font-size:28px;text-transform:uppercase}.form-control{width:100%;box-sizing:border-box;padding:6px}</style></head><body><div class="login-pf-page"><div id="kc-header" class="login-pf-page-header"><div id="kc-header-wrapper">Hospital Santa Clara</div></div><div class="card-pf"><h1 id="kc-page-title">Entrar na sua conta</h1><form id="kc-form-login" action="/auth/realms/hospital/login-actions/authenticate" method="post"><label for="username">Nome de usuário ou e-mail</label><input id="username" class="form-control" name="username" type="text" autofocus autocomplete="off"><label for="password">Senha</label><input id="password" class="form-control" name="password" type="password" autocomplete="off"><p><label><input type="checkbox" name="rememberMe"> Mantenha-me conectado</label></p><input type="hidden" name="credentialId"><input name="login" id="kc-login" type="submit" value="Entrar" style="width:100%;background:#0088ce;color:#fff;padding:8px;border:0"></form></div></div></body></html>`,
  },
  {
    name: "Soft 404 of a Chinese portal",
    expected: "error_page",
    path: "/a/20150611/018821.htm",
    html: `<!DOCTYPE html><html lang="zh-CN"><head><meta charset="utf-8"><title>404-您访问的页面不存在</title></head><body style="margin:0;font-family:'Microsoft YaHei',sans-serif;background:#f4f6f8"><div style="width:760px;margin:90px auto;background:#fff;padding:50px;text-align:center"><h1 style="font-size:26px">抱歉，您访问的页面不存在或已被删除</h1><p>请检查您输入的网址是否正确，或者稍后再试。</p><p><span id="s">5</span> 秒后返回首页，或点击 <a href="/">返回首页</a> | <a href="javascript:history.go(-1)">返回上一页</a></p></div><div style="text-align:center;color:#999">Copyright © 2008-2024 江畔网 版权所有</div></body></html>`,
  },
  {
    name: "reCAPTCHA gate in Japanese",
    expected: "bot_wall",
    path: "/item/4901234567894",
    status: 403,
    source: "https://developers.google.com/recaptcha/docs/display",
    html: `<!DOCTYPE html><html lang="ja"><head><meta charset="UTF-8"><title>アクセス確認</title><meta name="robots" content="noindex"><script src="https://www.google.com/recaptcha/api.js?hl=ja" async defer></script><style>body{font-family:"Hiragino Kaku Gothic ProN",Meiryo,sans-serif;margin:0;background:#f5f5f5}#wrap{width:600px;margin:80px auto;background:#fff;border:1px solid #ccc;padding:32px}</style></head><body><div id="wrap"><h1 style="font-size:20px">ロボットによるアクセスではないことを確認しています</h1><p>お使いのネットワークから、通常とは異なるアクセスを検知しました。お手数ですが、下のチェックボックスにチェックを入れて「送信」ボタンを押してください。</p><form method="post" action="/captcha"><div class="g-recaptcha" data-sitekey="6LeIxAcTAAAAAJcZVRqyHh71UMIEGNQ_MXjiZKhI"></div><p><button type="submit">送信</button></p></form><p style="font-size:12px">認証後、ご覧になろうとしたページに移動します。</p></div></body></html>`,
  },
  {
    name: "Press and hold in other words",
    expected: "bot_wall",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Robot or human?</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><svg width="40" height="40"><circle cx="20" cy="20" r="18" fill="gold"/></svg></header><main><div class="re-captcha"><div id="sign-in-widget"><h1>Robot or human?</h1><p>Activate and hold the button to confirm that you’re human. Thank You!</p><div id="px-captcha" style="height:54px;border:2px solid"></div><p>Try a different method</p></div></div></main><footer>Terms of Use · Privacy Policy · Do Not Sell My Personal Information · Request My Personal Information © 2025</footer></body></html>`,
  },
  {
    name: "Robot check with status 412",
    expected: "bot_wall",
    status: 412,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Let us know you're not a robot - Bulk Club</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header>Bulk Club</header><div class="sc-human-challenge-page"><div class="bst-alert-body">Let us know you’re human (no robots allowed)</div><div id="px-captcha"></div></div><footer><ul><li>Help center</li><li>Terms</li></ul></footer></body></html>`,
  },
  {
    name: "Domain at a marketplace",
    expected: "parked",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>OldMill.example is for sale | HugeDomains</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header>HugeDomains — Your Source for Quality Domains</header><main><h1>OldMill.example is for sale</h1><div>Buy now: $4,295 or only $178.96/mo for 24 months</div><button>Add to cart</button><ul><li>30-day money back guarantee</li><li>Take immediate ownership</li><li>Safe and secure shopping</li></ul><h2>Since 2005, we've helped thousands of people get the perfect domain name</h2></main></body></html>`,
  },
  {
    name: "Expired domain",
    expected: "parked",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>oldmill.example - Expired</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>This domain name has expired</h1><p>oldmill.example expired on 02/11/2025 and is pending renewal or deletion.</p><p>Is this your domain? <a>Renew now</a></p></main></body></html>`,
  },
  {
    name: "Default page of Hostinger",
    expected: "parked",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Parked Domain name on Hostinger DNS system</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>You Are All Set to Go!</h1><p>All you have to do now is upload your website files and start your journey. Check out how to do that below:</p><a>Login to your panel</a><p>Buy website hosting</p></main></body></html>`,
  },
  {
    name: "Domain with a buy button",
    expected: "parked",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>oldmill.example | Make an offer</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>oldmill.example</h1><p>is available for purchase</p><button>Make an offer</button><p>Secure transfer by escrow. Pay in installments.</p></main></body></html>`,
  },
  {
    name: "Domain registered a moment ago",
    expected: "parked",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Registrant WHOIS contact information verification | Namecheap.com</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>oldmill.example</h1><p>This domain was recently registered at Namecheap. Please check back later!</p><h2>Is this your domain?</h2><p>Learn how to set up a website</p></main></body></html>`,
  },
  {
    name: "French registrar",
    expected: "parked",
    html: `<!doctype html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Félicitations !</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>Félicitations ! Votre domaine a bien été créé chez OVHcloud !</h1><p>Vous êtes propriétaire de ce nom de domaine ? Installez dès maintenant votre site web.</p></main></body></html>`,
  },
  {
    name: "Japanese registrar",
    expected: "parked",
    html: `<!doctype html><html lang="ja"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>oldmill.example</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>このドメインはお名前.comで取得されています。</h1><p>お名前.comは国内シェアNo.1のドメイン登録サービスです。</p></main></body></html>`,
  },
  {
    name: "Network that asks to join",
    expected: "login_wall",
    path: "/in/jane-miller",
    redirect: "/authwall?trk=gf&sessionRedirect=%2Fin%2Fjane-miller",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Sign Up | ProNet</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main class="authwall"><h1>Join ProNet</h1><form action="/signup"><label>Email<input name="email-address" type="text"></label><label>Password (6+ characters)<input name="password" type="password"></label><p>By clicking Agree &amp; Join, you agree to the User Agreement, Privacy Policy and Cookie Policy.</p><button>Agree &amp; Join</button></form><p>Already on ProNet? <button>Sign in</button></p></main></body></html>`,
  },
  {
    name: "Sign-in flow that asks for the name first",
    expected: "login_wall",
    path: "/mill/status/1",
    redirect: "/i/flow/login?redirect_after_login=%2Fmill",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Log in to Chirp / Chirp</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><div id="react-root"></div><script>document.getElementById('react-root').innerHTML='<div role="dialog" aria-modal="true" style="position:fixed;inset:0;background:#fff"><h1>Sign in to Chirp</h1><button>Sign in with Google</button><button>Sign in with Apple</button><div>or</div><label><span>Phone, email, or username</span><input autocomplete="username" name="text" type="text"></label><button>Next</button><button>Forgot password?</button><span>Don’t have an account? Sign up</span></div>'</script></body></html>`,
  },
  {
    name: "Sign-in by mail or service",
    expected: "login_wall",
    path: "/team/roadmap",
    redirect: "/login?redirect=/team/roadmap",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Log in</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>Your workspace</h1><h2>Log in to your account</h2><button>Continue with Google</button><button>Continue with Apple</button><button>Continue with SSO</button><label>Work email<input type="email" placeholder="Enter your email address..."></label><button>Continue</button><p>By continuing you acknowledge our Terms and Privacy Policy.</p></main></body></html>`,
  },
  {
    name: "Dialog of Funding Choices",
    expected: "consent_wall",
    html: `<!doctype html><html lang="es"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Recetas</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><div class="fc-consent-root" style="position:fixed;inset:0;z-index:9999;background:#fff"><div class="fc-dialog-overlay"></div><div class="fc-dialog-container"><div class="fc-dialog fc-choice-dialog" role="dialog" aria-label="Este sitio solicita tu consentimiento"><h1>recetas.example solicita tu consentimiento para usar tus datos personales con estos fines:</h1><p>Publicidad y contenido personalizados, medición de publicidad y del contenido, investigación de audiencia y desarrollo de servicios</p><p>Tus datos personales se tratarán y la información de tu dispositivo podrá ser almacenada por 141 proveedores.</p><button class="fc-cta-consent">Consentir</button><button class="fc-cta-do-not-consent">No consentir</button><button class="fc-cta-manage-options">Gestionar opciones</button></div></div></div><main><p>El viejo molino junto al río se reconstruyó en 1893 tras un incendio. De abril a octubre se puede pasear junto a la presa y comprar pan en la tienda.</p><p>De abril a octubre se puede pasear junto a la presa y comprar pan en la tienda. Tres generaciones de la misma familia han cuidado las muelas.</p><p>Tres generaciones de la misma familia han cuidado las muelas. El viejo molino junto al río se reconstruyó en 1893 tras un incendio.</p><p>El viejo molino junto al río se reconstruyó en 1893 tras un incendio. De abril a octubre se puede pasear junto a la presa y comprar pan en la tienda.</p><p>De abril a octubre se puede pasear junto a la presa y comprar pan en la tienda. Tres generaciones de la misma familia han cuidado las muelas.</p><p>Tres generaciones de la misma familia han cuidado las muelas. El viejo molino junto al río se reconstruyó en 1893 tras un incendio.</p><p>El viejo molino junto al río se reconstruyó en 1893 tras un incendio. De abril a octubre se puede pasear junto a la presa y comprar pan en la tienda.</p><p>De abril a octubre se puede pasear junto a la presa y comprar pan en la tienda. Tres generaciones de la misma familia han cuidado las muelas.</p></main></body></html>`,
  },
  {
    name: "Page of consent or subscription",
    expected: "consent_wall",
    path: "/story/1",
    redirect: "/consent/tcf/story/1",
    html: `<!doctype html><html lang="de"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Willkommen bei DER BOTE</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>Willkommen bei DER BOTE</h1><p>Sie entscheiden darüber, wie Sie unsere Inhalte nutzen wollen.</p><section><h2>Mit Werbung und Cookies</h2><p>Mit Ihrer Zustimmung verwenden wir und unsere 180 Partner Cookies für personalisierte Anzeigen.</p><button>Einverstanden</button></section><section><h2>PUR-Abo</h2><p>Ohne Werbung, ohne Tracking. Ab 8 € im Monat.</p><button>Jetzt bestellen</button></section></main></body></html>`,
  },
  {
    name: "Dutch consent page",
    expected: "consent_wall",
    path: "/nieuws",
    redirect: "/consent?siteKey=x&callbackUrl=%2Fnieuws",
    html: `<!doctype html><html lang="nl"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Privacy | DPG</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>De Molen gebruikt cookies</h1><p>Wij en onze partners gebruiken cookies en vergelijkbare technieken om je een betere en persoonlijke ervaring te bieden. Klik op Akkoord om verder te gaan.</p><button>Akkoord</button><button>Instellingen aanpassen</button></main></body></html>`,
  },
  {
    name: "Privacy gate",
    expected: "consent_wall",
    path: "/recipes/bread",
    redirect: "/privacy-gate?next=/recipes/bread",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Your privacy choices</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main style="text-align:center;padding:80px"><h1>We value your privacy</h1><p>We and our 842 partners store and/or access information on a device, such as cookies and process personal data. You need to choose before entering the site.</p><button>AGREE</button><button>DISAGREE</button><button>MORE OPTIONS</button></main></body></html>`,
  },
  {
    name: "Not in this region",
    expected: "error_page",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Not available</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>This content is not available in your region</h1><p>Sorry, because of licensing restrictions we cannot show this site in your country.</p></main></body></html>`,
  },
  {
    name: "Application that failed to load",
    expected: "error_page",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Chirp</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><div id="r"></div><script>setTimeout(()=>{document.getElementById('r').innerHTML='<div style="text-align:center;padding:200px"><span>Something went wrong. Try reloading.</span><br><button>Retry</button></div>'},200)</script></body></html>`,
  },
  {
    name: "Soft 404 of a Turkish shop",
    expected: "error_page",
    path: "/xyz/old-page",
    html: `<!doctype html><html lang="tr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Sayfa bulunamadı</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Un">Un</a><a href="/Ekmek">Ekmek</a></nav></header><main><h1>Aradığınız sayfa bulunamadı</h1><p>Sayfa kaldırılmış veya adresi değişmiş olabilir.</p><a href="/">Ana sayfaya dön</a></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "Page that needs JavaScript",
    expected: "error_page",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Mill App</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><p>JavaScript is required to use this site. Please enable JavaScript in your browser and reload the page.</p></body></html>`,
  },
  {
    name: "Soft 404 of a Polish shop",
    expected: "error_page",
    path: "/xyz/old-page",
    html: `<!doctype html><html lang="pl"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Nie znaleziono strony</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/M%C4%85ka">Mąka</a><a href="/Chleb">Chleb</a></nav></header><main><h1>Strona, której szukasz, nie istnieje</h1><p>Sprawdź, czy adres jest poprawny.</p><a href="/">Strona główna</a></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "Job that is filled",
    expected: "error_page",
    path: "/xyz/old-page",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Careers</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header><b>Millstone</b> <nav><a href="/Jobs">Jobs</a><a href="/Teams">Teams</a></nav></header><main><h1>This job is no longer available</h1><p>The position you are looking for has been filled or removed.</p><a href="/">See all open jobs</a></main><footer>© 2025 Millstone · Imprint · Privacy · Terms</footer></body></html>`,
  },
  {
    name: "Portuguese block screen",
    expected: "bot_wall",
    status: 403,
    html: `<!doctype html><html lang="pt"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Acesso bloqueado</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><h1>Acesso bloqueado</h1><p>Não foi possível acessar loja.example</p><h3>Por que fui bloqueado?</h3><p>O site é protegido por um serviço de segurança que o protege contra ataques. Este acesso foi filtrado e classificado como indevido.</p><p>ID da requisição: 13ed71 - Seu endereço IP: 192.0.2.1</p></body></html>`,
  },
  {
    name: "Turnstile alone",
    expected: "bot_wall",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Verify you are human</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1>One more step</h1><p>Complete the check below to continue to <b>files.example</b>.</p><form method="post"><div class="cf-turnstile" data-sitekey="0x4AAAA" style="width:300px;height:65px;border:1px solid #ccc"></div><script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script></form></main></body></html>`,
  },
  {
    name: "Akamai challenge",
    expected: "bot_wall",
    status: 428,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>&nbsp;</title></head><body><div id="sec-if-cpt-container" role="main"><div class="scf-akamai-logo-text">Powered and protected by <b>Akamai</b></div><div id="progress" style="width:200px;height:8px;background:#ddd"></div><iframe id="sec-cpt-if" provider="crypto" class="crypto" data-key="" data-duration=5 src="about:blank" style="width:200px;height:60px"></iframe></div><script>function proceed(){ }</script></body></html>`,
  },
  {
    name: "Robot check of a news site",
    expected: "bot_wall",
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Finance Wire - Are you a robot?</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header>Finance Wire</header><section class="box"><h1>We've detected unusual activity from your computer network</h1><p>To continue, please click the box below to let us know you're not a robot.</p><div id="px-captcha"></div><h3>Why did this happen?</h3><p>Please make sure your browser supports JavaScript and cookies and that you are not blocking them from loading.</p><h3>Need Help?</h3><p>For inquiries related to this message please contact our support team and provide the reference ID below.</p><p>Block reference ID: 9a1</p></section></body></html>`,
  },
  {
    name: "Anubis in Polish",
    expected: "bot_wall",
    html: `<!doctype html><html lang="pl"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Upewniamy się, że nie jesteś botem!</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main><h1 id="title">Upewniamy się, że nie jesteś botem!</h1><div class="centered-div"><img id="image" style="width:100%;max-width:256px" src="/.within.website/x/cmd/anubis/static/img/pensive.webp"><p id="status">Wczytywanie...</p><details><summary>Dlaczego to widzę?</summary><p>Administrator skonfigurował Anubis.</p></details></div><footer>Chronione przez Anubis od Techaro</footer></main><script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4}}</script></body></html>`,
  },
  {
    name: "Vercel checkpoint in German",
    expected: "bot_wall",
    status: 429,
    html: `<!doctype html><html lang="de"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Vercel Sicherheitskontrollpunkt</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><main style="text-align:center"><div class="spinner"></div><p id="header-text">Wir überprüfen Ihren Browser</p><p><a href="https://vercel.link/security-checkpoint" id="fix-link">Websitebesitzer? Zum Beheben hier klicken</a></p><p id="footer-text">Vercel Sicherheitskontrollpunkt | fra1::1741-abc</p></main></body></html>`,
  },
  {
    name: "Browsing paused by a ticket shop",
    expected: "bot_wall",
    status: 403,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Tickets</title><style>body{font:16px/1.5 sans-serif;margin:0;color:#222}header,footer{padding:14px 24px;background:#eef}main{max-width:760px;margin:0 auto;padding:24px}nav a{margin-right:14px}.card{border:1px solid #ccc;padding:12px;margin:8px;display:inline-block;width:200px}input{display:block;margin:6px 0;padding:8px}button{padding:8px 14px}</style></head><body><header>Tickets</header><main><h1>Your Browsing Activity Has Been Paused</h1><p>We've detected unusual behavior on your network or browser, so we've blocked further activity to protect other fans.</p><ul><li>Use one browser tab</li><li>Turn off your VPN</li></ul><p>Support ID: 52bd</p></main></body></html>`,
  },
  {
    name: "wall sv-login",
    expected: "login_wall",
    html: '<!doctype html><html lang="sv"><head><meta charset="utf-8"><title>Logga in – Mina sidor</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Logga in</h1><form><label>Personnummer <input></label><label>Lösenord <input type=password></label><button>Logga in</button></form><p>Du måste logga in för att se den här sidan.</p></main></body></html>',
  },
  {
    name: "wall sv404",
    expected: "error_page",
    html: '<!doctype html><html lang="sv"><head><meta charset="utf-8"><title>Sidan kunde inte hittas</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Sidan kunde inte hittas</h1><p>Sidan du söker finns inte längre eller har flyttats. Gå till startsidan.</p></main></body></html>',
  },
  {
    name: "wall fi404",
    expected: "error_page",
    html: '<!doctype html><html lang="fi"><head><meta charset="utf-8"><title>Sivua ei löytynyt</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Sivua ei löytynyt</h1><p>Etsimääsi sivua ei ole olemassa tai se on siirretty. Palaa etusivulle.</p></main></body></html>',
  },
  {
    name: "wall tr404",
    expected: "error_page",
    html: '<!doctype html><html lang="tr"><head><meta charset="utf-8"><title>Sayfa bulunamadı</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Sayfa bulunamadı</h1><p>Aradığınız sayfa taşınmış veya silinmiş olabilir. Ana sayfaya dön.</p></main></body></html>',
  },
  {
    name: "wall laravel200",
    expected: "error_page",
    html: "<!doctype html><title>Whoops! There was an error.</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Whoops, looks like something went wrong.</h1><p>ErrorException in Handler.php line 42: Undefined variable $user</p></main></body></html>",
  },
  {
    name: "wall maint200",
    expected: "error_page",
    html: '<!doctype html><title>We are upgrading</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main style="text-align:center"><h1>We are upgrading our shop</h1><p>Sorry for the inconvenience. We are performing some maintenance at the moment and will be back online shortly. — The team</p></main></body></html>',
  },
  {
    name: "wall ovh",
    expected: "parked",
    html: '<!doctype html><html lang="fr"><head><meta charset="utf-8"><title>Félicitations ! Votre site est en construction</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Félicitations !</h1><p>Votre domaine a bien été créé chez OVHcloud. Votre hébergement web est installé. Il ne reste plus qu\'à mettre en ligne votre site.</p></main></body></html>',
  },
  {
    name: "wall sv-consent",
    expected: "consent_wall",
    html: '<!doctype html><html lang="sv"><head><meta charset="utf-8"><title>Nyheter</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Nyheter</h1><p>The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. </p></main><div role=dialog aria-modal=true style="position:fixed;inset:0;background:#0008"><div style="background:#fff;margin:80px auto;width:800px;padding:50px"><h2>Vi använder cookies</h2><p>Vi och våra partners använder cookies för att förbättra din upplevelse och visa relevant innehåll.</p><button>Godkänn alla</button> <button>Inställningar</button></div></div></body></html>',
  },
  {
    name: "wall cs-consent",
    expected: "consent_wall",
    html: '<!doctype html><html lang="cs"><head><meta charset="utf-8"><title>Zprávy</title><style>body{font-family:Arial,sans-serif;margin:0}header,footer{padding:16px 30px;background:#eee}main{padding:30px;max-width:800px}</style></head><body><main><h1>Zprávy</h1><p>The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. The council approved the new tram line on Tuesday evening after a debate of four hours. Supporters say it will shorten the way to the hospital by ten minutes. Opponents worry about the trees along the avenue. </p></main><div role=dialog style="position:fixed;inset:0;background:#0009"><div style="background:#fff;margin:60px auto;width:800px;padding:60px"><h2>Vaše soukromí</h2><p>Používáme cookies, abychom vám zobrazili vhodný obsah a reklamu.</p><button>Přijmout vše</button> <button>Odmítnout</button></div></div></body></html>',
  },
];
