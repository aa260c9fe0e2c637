/** Pages by people who had not seen the rules: ordinary ones that resemble walls, and walls without the usual marks. */

import type { SamplePage } from "./sample-page.ts";

export const lookAlikes: SamplePage[] = [
  {
    name: "look-alike robotvac",
    expected: "ok",
    html: "<!doctype html><title>Reset your cleaner</title><h1>Reset your RoboClean 3</h1><p>Press and hold the Home button for ten seconds until the robot beeps twice. The light ring turns blue and the robot starts to map your home again. Schedules are kept.<p>Need help? Call us on weekdays from 9 to 5.",
  },
  {
    name: "look-alike police",
    expected: "ok",
    html: "<!doctype html><title>Village news</title><h1>Police ask for witnesses</h1><p>On Tuesday evening neighbours in Mill Lane reported suspicious activity near the old school. Officers stopped a van; the road was blocked for two hours. Nobody was hurt. Witnesses are asked to call the station in Oakham.<p>Next meeting of the parish council: 4 June.",
  },
  {
    name: "look-alike airport",
    expected: "ok",
    html: "<!doctype html><title>Getting to the airport</title><h1>Before you fly</h1><p>Please arrive two hours before your departure. The security check opens at 4 a.m. Liquids go into a clear bag of one litre. Trams leave for the centre every ten minutes.",
  },
  {
    name: "look-alike contact",
    expected: "ok",
    html: '<!doctype html><title>Contact – Studio Nine</title><h1>Contact us</h1><form action=/send><p>Name <input><p>Mail <input><p>Message <textarea></textarea><p>We will confirm your appointment within a day.<button>Send</button></form><p>Studio Nine, 12 High Street, Leeds<script src="https://www.google.com/recaptcha/api.js"></script>',
  },
  {
    name: "look-alike awswaf",
    expected: "ok",
    html: '<!doctype html><title>Juniper Bank</title><h1>Banking that is simple</h1><p>Open an account in five minutes. No fees, no paper. Cards for the whole family.<p><a href=/open>Open an account</a><script src="https://3f38f7f4f368.edge.sdk.awswaf.com/3f38f7f4f368/e1fcfc58118e/challenge.js" defer></script>',
  },
  {
    name: "look-alike appshell",
    expected: "ok",
    html: "<!doctype html><title>Tasks – Planner</title><style>#app{position:fixed;inset:0;overflow:auto}</style><div id=app><nav>Inbox Today Projects Settings</nav><main><h1>Today</h1><p>Water the plants<p>Call the dentist<p>Send the report to Maria</main><footer>Terms Privacy Cookies</footer></div>",
  },
  {
    name: "look-alike lookbook",
    expected: "ok",
    html: "<!doctype html><title>Autumn look book</title><style>.slides{position:fixed;inset:0;background:#eda}</style><div class=slides><h1>Autumn 2026</h1><p>Wool, linen and leather, made in Porto.</p><p>Accepted cards: Visa, Mastercard. Privacy policy</p></div>",
  },
  {
    name: "look-alike 500",
    expected: "ok",
    html: "<!doctype html><title>500 Days of Summer – Kino am Markt</title><h1>500 Days of Summer</h1><p>USA 2009, 95 minutes. With Joseph Gordon-Levitt and Zooey Deschanel. Friday at 8 p.m. in the small hall. Tickets 9 euros.",
  },
  {
    name: "look-alike 501",
    expected: "ok",
    html: "<!doctype html><title>501® Original Jeans</title><h1>501 Original Fit Jeans</h1><p>The straight leg that started it all. 100 % cotton. Sizes 26 to 44. 110 euros. Add to basket.",
  },
  {
    name: "look-alike 404",
    expected: "ok",
    html: "<!doctype html><title>404 Media</title><h1>404 Media</h1><p>Journalists who write about technology. New stories every weekday, a podcast every Friday. Subscribe for free.",
  },
  {
    name: "look-alike boiler",
    expected: "ok",
    html: "<!doctype html><title>Heating service</title><h1>Routine maintenance for your boiler</h1><p>Once a year, for 89 euros. We clean the burner, measure the exhaust and check the pressure. Book a date by phone.",
  },
  {
    name: "look-alike tour",
    expected: "ok",
    html: "<!doctype html><title>The Larks</title><h1>We will be back in June!</h1><p>Tour dates: Berlin 3 June, Hamburg 5 June, Copenhagen 8 June. Tickets at the box office. New record out now on vinyl.",
  },
  {
    name: "look-alike domaine",
    expected: "ok",
    html: "<!doctype html><title>Domaine des Tilleuls</title><h1>A vineyard in the Jura</h1><p>Domaine des Tilleuls, four hectares of Savagnin with a stone house, is for sale. Visits by appointment with our agent in Arbois, Maître Blanc.",
  },
  {
    name: "look-alike itworks",
    expected: "ok",
    html: "<!doctype html><title>It works! – Notes</title><h1>It works!</h1><p>After three weekends the sourdough starter is finally alive. I fed it with rye flour twice a day and kept it at 26 degrees. Here is the first loaf, with a crust that sings when it cools.",
  },
  {
    name: "look-alike academic",
    expected: "ok",
    html: "<!doctype html><title>Prof. Eva Lind</title><b>Eva Lind</b>, professor of geology, University of Uppsala<p>Papers: Granite (2019), Gneiss (2021)<p>Related links<br><a href=/a>Department</a><br><a href=/b>Museum</a>",
  },
  {
    name: "look-alike book",
    expected: "ok",
    html: "<!doctype html><title>Book club</title><h1>Reading circle Bonn</h1><p>We meet every first Monday in the library and talk about one novel. Guests are welcome; the summer trip is members only. May: Stoner. June: Austerlitz.",
  },
  {
    name: "look-alike identify",
    expected: "ok",
    html: "<!doctype html><title>PlantPal</title><h1>Identify any plant from a photo</h1><p>Free for 30 days. 18,000 species, works offline.<form>Mail <input type=email> Password <input type=password><button>Create account</button></form>",
  },
  {
    name: "look-alike accesorios",
    expected: "ok",
    html: "<!doctype html><title>Motos Ruiz</title><form>Usuario <input> Clave <input type=password><button>OK</button></form><h1>Accesorios para tu moto</h1><p>Cascos, guantes y maletas de las mejores marcas. Envío gratis desde 50 euros.",
  },
  {
    name: "look-alike paste",
    expected: "ok",
    html: '<!doctype html><title>Paste 8f31</title><h1>Paste 8f31</h1><pre>Traceback (most recent call last):\n  File "a.py", line 3, in &lt;module&gt;\nKeyError: 7</pre><p>python, posted by kim, 3 minutes ago<p>Raw Download Fork',
  },
  {
    name: "look-alike suspended",
    expected: "ok",
    html: "<!doctype html><title>Help: suspended accounts</title><h1>Your account has been suspended: what now?</h1><p>When an invoice is more than 30 days late, an account is suspended until it is paid. Here is how to get it back.<h2>Pay the invoice</h2><p>Open Billing and choose Pay now.<h2>Wait for the mail</h2><p>It takes about ten minutes.<h2>Still locked?</h2><p>Write to support.",
  },
  {
    name: "look-alike moment",
    expected: "ok",
    html: "<!doctype html><title>Just a moment: poems by Ada Reed</title><h1>Just a moment</h1><p>Forty poems about waiting rooms, trains and rain. Paperback, 96 pages, 14 pounds. Read three of them here.",
  },
  {
    name: "look-alike riseabove",
    expected: "ok",
    html: '<!doctype html><title>Rise Above Climbing</title><h1>Rise Above Climbing Hall</h1><p>Boulders, ropes and a cafe. Open every day from 9 to 23. Courses for children on Saturdays.<script src="https://static.riseabove.com/app.js"></script>',
  },
  {
    name: "look-alike korean",
    expected: "ok",
    html: "<!doctype html><title>호스팅 안내</title><h1>호스팅 안내</h1><p>웹호스팅 상품을 신청하시면 1년간 도메인 등록이 무료입니다. 고객센터는 평일 오전 9시부터 오후 6시까지 운영합니다.",
  },
  {
    name: "look-alike premium",
    expected: "ok",
    html: "<!doctype html><title>Pro plan</title><h1>Congratulations on your new website builder</h1><p>Choose a theme, add your text, publish. Plans start at 5 dollars. No card needed for the trial.",
  },
  {
    name: "look-alike lostsong",
    expected: "ok",
    html: "<!doctype html><title>Lost, not found</title><h1>Lost, Not Found</h1><p>A podcast about things that people leave on trains. Twelve episodes, each half an hour. Listen wherever you get podcasts.",
  },
];

export const plainWalls: SamplePage[] = [
  {
    name: "plain amazon",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Amazon.com</title><h4>Click the button below to continue shopping</h4><form action=/errors/validateCaptcha><button>Continue shopping</button></form><p>Conditions of Use Privacy Policy<p>© 1996-2025, Amazon.com, Inc. or its affiliates",
  },
  {
    name: "plain pardon",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Pardon Our Interruption</title><h1>Pardon Our Interruption</h1><p>As you were browsing something about your browser made us think you were a bot. There are a few reasons this might happen:<ul><li>You're a power user moving through this website with super-human speed.<li>You've disabled cookies in your web browser.<li>A third-party browser plugin, such as Ghostery or NoScript, is preventing JavaScript from running.</ul><p>To regain access, please make sure that cookies and JavaScript are enabled before reloading the page.",
  },
  {
    name: "plain imunify",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>One moment, please...</title><h1>Please wait while your request is being verified...</h1><div class=spinner></div>",
  },
  {
    name: "plain sgcaptcha",
    expected: "bot_wall",
    status: 202,
    html: "<!doctype html><title>Robot Challenge Screen</title><h1>Checking the site connection security</h1><p>This may take a few seconds. Please do not close the tab.",
  },
  {
    name: "plain pypi",
    expected: "bot_wall",
    status: 200,
    html: '<!doctype html><title>Client Challenge</title><p>A required part of this site couldn’t load. This may be due to a browser extension, network issues, or browser settings. Please check your connection, disable any ad blockers, or try using a different browser.<script src="/abcd/script.js"></script>',
  },
  {
    name: "plain wechat",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>微信公众平台</title><h2>环境异常</h2><p>当前环境异常，完成验证后即可继续访问。<p><a href=#>去验证</a>",
  },
  {
    name: "plain baidu",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>百度安全验证</title><p>网络不给力，请稍后重试 返回首页 问题反馈<p>请完成下方验证后继续操作<p>拖动左侧滑块使图片为正",
  },
  {
    name: "plain yandex",
    expected: "bot_wall",
    status: 200,
    html: '<!doctype html><title>Oops!</title><h1>Oops!</h1><p>Please confirm that you and not a robot are sending requests<p><button>I\'m not a robot</button> Press to continue<p>SmartCaptcha by Yandex Cloud<script src="/captcha/smart/script.js"></script>',
  },
  {
    name: "plain ticketm",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Browsing paused</title><h1>Your Browsing Activity Has Been Paused</h1><p>We've detected unusual behavior coming from either your network or your browser. Please review the list below and try again.<ul><li>Disable your VPN<li>Switch off private browsing</ul>",
  },
  {
    name: "plain sucurijs",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>You are being redirected...</title><noscript>Javascript is required. Please enable javascript before you are allowed to see this page.</noscript><script>1</script>",
  },
  {
    name: "plain cftr",
    expected: "bot_wall",
    status: 200,
    html: "<!doctype html><title>Bir dakika lütfen...</title><h1>ornek.com</h1><p>İnsan olduğunuz doğrulanıyor. Bu işlem birkaç saniye sürebilir.<p>ornek.com bağlantınızın güvenliğini gözden geçirmek zorunda.",
  },
  {
    name: "plain xlogin",
    expected: "login_wall",
    status: 200,
    html: '<!doctype html><title>Log in to X / X</title><div role=dialog><h1>Sign in to X</h1><button>Sign in with Google</button><button>Sign in with Apple</button><p>or<p><input autocomplete=username placeholder="Phone, email, or username"><button>Next</button><p>Don\'t have an account? Sign up</div>',
  },
  {
    name: "plain okta",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Acme - Sign In</title><h2>Sign In</h2><form action=/idp/idx/identify><label>Username <input name=identifier autocomplete=username></label><input type=checkbox> Keep me signed in<button>Next</button></form><p>Unlock account? Help",
  },
  {
    name: "plain wpprotected",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Protected: Wedding photos</title><h1>Protected: Wedding photos</h1><p>This content is password protected. To view it please enter your password below:<form>Password: <input type=password><button>Enter</button></form>",
  },
  {
    name: "plain gdocs",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Google Docs</title><h1>You need access</h1><p>Request access, or switch to an account with access.<textarea>Message (optional)</textarea><button>Request access</button>",
  },
  {
    name: "plain discourse",
    expected: "login_wall",
    status: 200,
    html: "<!doctype html><title>Acme forum</title><h1>Welcome to Acme forum</h1><p>This site is private. Log in or create an account to see the topics.<button>Log In</button><button>Sign Up</button>",
  },
  {
    name: "plain standard",
    expected: "consent_wall",
    status: 200,
    html: "<!doctype html><title>DER STANDARD</title><h1>Willkommen bei DER STANDARD</h1><p>Entscheiden Sie selbst, wie Sie unsere Inhalte nutzen wollen: mit Cookies und Werbung, oder mit dem PUR-Abo ohne Tracking. Sie können Ihre Einwilligung jederzeit widerrufen.<button>EINVERSTANDEN</button><button>JETZT ABONNIEREN</button>",
  },
  {
    name: "plain sourcepoint",
    expected: "consent_wall",
    status: 200,
    html: '<!doctype html><title>Nachrichten</title><h1>News of the day</h1><p>Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text <div id=sp_message_container_1 style="position:fixed;inset:0;background:#000a;z-index:999"><iframe title="SP Consent Message" style="width:100%;height:100%;border:0" src="http://localhost:4400/sp?hasCsp=true&message_id=1296&consentUUID=null&requestUUID=2f4e&preload_message=true&version=v1"></iframe></div>',
  },
  {
    name: "plain abscookie",
    expected: "consent_wall",
    status: 200,
    html: '<!doctype html><title>Magazine</title><h1>Magazine</h1><p>Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text Article text <div style="position:absolute;inset:0;background:#fff;z-index:9"><h2>We value your privacy</h2><p>We and our 842 partners store cookies on your device.<button>Accept all</button><button>Reject all</button></div>',
  },
  {
    name: "plain wix",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Error ConnectYourDomain</title><h1>Looks Like This Domain Isn't Connected To A Website Yet</h1><p>Is this your domain? Connect it to your Wix website in just a few easy steps.",
  },
  {
    name: "plain godaddy",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>acme.com</title><h1>Launching Soon</h1><p>acme.com<p>Copyright © 2026 acme.com – All Rights Reserved. Powered by",
  },
  {
    name: "plain tomcat",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Apache Tomcat/9.0.71</title><h1>Apache Tomcat/9.0.71</h1><h2>If you're seeing this, you've successfully installed Tomcat. Congratulations!</h2><p>Recommended Reading: Security Considerations How-To, Manager Application How-To",
  },
  {
    name: "plain django",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>The install worked successfully! Congratulations!</title><h1>The install worked successfully! Congratulations!</h1><p>View release notes for Django 5.0. You are seeing this page because DEBUG=True is in your settings file and you have not configured any URLs.",
  },
  {
    name: "plain litespeed",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Congratulations</title><h1>LiteSpeed Web Server is working</h1><p>Replace this page with your own. Index of the document root was not found.",
  },
  {
    name: "plain lighttpd",
    expected: "parked",
    status: 200,
    html: "<!doctype html><title>Welcome page</title><h1>Placeholder page</h1><p>The owner of this web site has not put up any web pages yet. Please come back later.<p>You should replace this page with your own web pages as soon as possible.",
  },
  {
    name: "plain spaerror",
    expected: "error_page",
    status: 200,
    html: "<!doctype html><title>App</title><div role=alert><h2>Something went wrong</h2><p>We could not load this page. Try again later or contact support.</p><button>Reload</button></div>",
  },
  {
    name: "plain de500",
    expected: "error_page",
    status: 200,
    html: "<!doctype html><title>Fehler</title><h1>Interner Serverfehler</h1><p>Bei der Verarbeitung Ihrer Anfrage ist ein Fehler aufgetreten. Bitte versuchen Sie es später erneut.",
  },
  {
    name: "plain soldout",
    expected: "error_page",
    status: 200,
    html: "<!doctype html><title>Oops</title><h1>Oops! We can't find that page</h1><p>The link may be broken or the page may have been removed. Try our search or go to the home page.",
  },
];
