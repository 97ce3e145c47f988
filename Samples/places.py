"""Words for made-up places: in each culture six kinds of places, names, streets and sentences."""

# The categories of each kind; some places are filed more narrowly than others.
CATEGORIES = [
    ["Café ☕", "Café ☕", "Café ☕ · terrace"],
    ["Museum", "Museum", "Museum · history"],
    ["Park 🌳", "Park 🌳", "Playground"],
    ["Bakery", "Bakery · gluten-free"],
    ["Bookshop", "Bookshop", "Bookshop · \"second hand\""],
    ["Theatre 🎭", "Cinema"],
]


def _culture(name, address, kinds, names, streets, sentences, *cities):
    return {
        "name": name, "address": address, "kinds": kinds.split("|"), "names": names.split("|"),
        "streets": streets.split("|"), "sentences": sentences.split("|"), "cities": cities,
    }


CULTURES = [
    _culture(
        "{} {}", "{} {}", "Café|Museum|Park|Bakkerij|Boekhandel|Theater",
        "De Oude Brug|Het Zilveren Anker|'t Molentje|De Drie Linden|Zon & Zee|IJzerhof",
        "Prinsengracht|Kerkstraat|Nieuwe Binnenweg|Oudegracht|Korte Leidsedwarsstraat",
        "Rustige plek aan het water.|Elke dag open van 9 tot 17 uur.|Honden zijn welkom, fietsen niet.|"
        "Met uitzicht op de gracht en een prijs van € 4,50.",
        ("Amsterdam", "The Netherlands", 52.3702, 4.8952), ("Utrecht", "The Netherlands", 52.0907, 5.1214)),
    _culture(
        "{} „{}“", "{} {}", "Café|Museum|Park|Bäckerei|Buchhandlung|Theater",
        "Zum Goldenen Löwen|Drei Eichen|Am Fluß|Grüne Aue|Weiße Taube",
        "Hauptstraße|Lindenallee|Am Marktplatz|Goethestraße|Schönhauser Allee",
        "Montags geschlossen.|Führungen nach Vereinbarung, Gruppen bis 25 Personen.|"
        "Übernachtung möglich; größere Feste bitte anmelden.|Barrierefreier Zugang über den Hof.",
        ("Berlin", "Germany", 52.52, 13.405), ("Köln", "Germany", 50.9375, 6.9603), ("Wien", "Austria", 48.2082, 16.3738)),
    _culture(
        "{} {}", "{1}, {0}", "Café|Musée|Parc|Boulangerie|Librairie|Théâtre",
        "de l'Étoile|du Vieux Port|des Trois Cœurs|Saint-Honoré|de la Forêt",
        "rue de la Paix|avenue des Tilleuls|quai d'Orsay|place de l'Église",
        "Fermé le mardi.|Entrée libre le premier dimanche du mois.|« Un endroit à découvrir »|"
        "L'été, la terrasse reste ouverte jusqu'à minuit.",
        ("Paris", "France", 48.8566, 2.3522), ("Lyon", "France", 45.764, 4.8357), ("Genève", "Switzerland", 46.2044, 6.1432)),
    _culture(
        "{} {}", "{}, {}", "Cafetería|Museo|Parque|Panadería|Librería|Teatro",
        "El Niño|La Cigüeña|Los Álamos|San Telmo|Añoranza",
        "Calle Mayor|Gran Vía|Avenida de la Constitución|Plaza de España",
        "Abierto todos los días.|¿Busca tranquilidad? ¡Aquí la encuentra!|Visitas guiadas a las 11:00 y a las 18:00.|"
        "Prohibido fumar.",
        ("Madrid", "Spain", 40.4168, -3.7038), ("Bogotá", "Colombia", 4.711, -74.0721),
        ("Buenos Aires", "Argentina", -34.6037, -58.3816)),
    _culture(
        "{} {}", "{}, {}", "Café|Museu|Parque|Padaria|Livraria|Teatro",
        "São João|da Praça|Coração de Jesus|do Sertão|Três Irmãs",
        "Rua Augusta|Avenida Paulista|Rua da Conceição|Travessa do Carmo",
        "Aberto de terça a domingo.|Não há estacionamento; venha de metrô.|Pão fresco às seis da manhã.",
        ("São Paulo", "Brazil", -23.5505, -46.6333), ("Lisboa", "Portugal", 38.7223, -9.1393)),
    _culture(
        "{} {}", "ul. {} {}", "Kawiarnia|Muzeum|Park|Piekarnia|Księgarnia|Teatr",
        "Pod Żółwiem|Źródło|Łabędź|Ćma|Święty Jan",
        "Długa|Święty Marcin|Gdańska|Piłsudskiego",
        "Czynne codziennie oprócz poniedziałków.|Wstęp wolny dla dzieci do lat 7.|Zażółć gęślą jaźń.",
        ("Kraków", "Poland", 50.0647, 19.945), ("Łódź", "Poland", 51.7592, 19.456)),
    _culture(
        "{1} {0}", "{} Sokak No: {}", "Kahvesi|Müzesi|Parkı|Fırını|Kitabevi|Tiyatrosu",
        "İskele|Çınaraltı|Gülhane|Işık|Şehir",
        "Bağdat Caddesi|İstiklal|Çiçek|Gökkuşağı",
        "Her gün 09.00–22.00 arası açık.|Deniz manzaralı, ağaçların altında.|Giriş ücretsizdir.",
        ("İstanbul", "Türkiye", 41.0082, 28.9784), ("Iğdır", "Türkiye", 39.9237, 44.045)),
    _culture(
        "{} {}", "{} {}", "Καφενείο|Μουσείο|Πάρκο|Φούρνος|Βιβλιοπωλείο|Θέατρο",
        "Η Ακρόπολις|Ο Ήλιος|Τα Τρία Αδέλφια|Γαλάζιο Νερό",
        "Οδός Ερμού|Λεωφόρος Αμαλίας|Πλατεία Συντάγματος",
        "Ανοιχτά κάθε μέρα.|Θέα στη θάλασσα και στο βουνό.|Κλειστό τον Αύγουστο.",
        ("Αθήνα", "Greece", 37.9838, 23.7275), ("Θεσσαλονίκη", "Greece", 40.6401, 22.9444)),
    _culture(
        "{} «{}»", "{}, д. {}", "Кафе|Музей|Парк|Пекарня|Книжный магазин|Театр",
        "Берёзка|Три сестры|Ёлочка|Старый мост|Северное сияние",
        "ул. Пушкина|Невский проспект|Набережная|вул. Хрещатик",
        "Открыто ежедневно с 10:00 до 22:00.|Щедрий вечір, ґанок і їжак.|Вход свободный, съёмка разрешена.",
        ("Київ", "Ukraine", 50.4501, 30.5234), ("Алматы", "Kazakhstan", 43.222, 76.8512)),
    _culture(
        "{} {}", "{} {}", "בית קפה|מוזיאון|פארק|מאפייה|חנות ספרים|תיאטרון",
        "הגשר הישן|שלוש האחיות|הים הכחול|אור",
        "רחוב הרצל|שדרות רוטשילד|דרך יפו",
        "פתוח כל יום חוץ משבת.|כניסה חופשית לילדים.|נוף לים ולהר.",
        ("תל אביב", "Israel", 32.0853, 34.7818), ("חיפה", "Israel", 32.794, 34.9896)),
    _culture(
        "{} {}", "{} {}", "مقهى|متحف|حديقة|مخبز|مكتبة|مسرح",
        "النخيل|القمر|الياسمين|البحر الأزرق|الأصدقاء",
        "شارع التحرير|طريق الكورنيش|شارع الملك فيصل",
        "مفتوح يوميًا من الساعة ٩ حتى ٢٢.|الدخول مجاني للأطفال.|إطلالة على النيل.",
        ("القاهرة", "Egypt", 30.0444, 31.2357), ("الدار البيضاء", "Morocco", 33.5731, -7.5898)),
    _culture(
        "{1} {0}", "{1}, {0}", "कैफ़े|संग्रहालय|उद्यान|बेकरी|पुस्तक भंडार|रंगमंच",
        "गुलमोहर|सूर्योदय|नीलकंठ|तीन मित्र",
        "महात्मा गांधी मार्ग|स्टेशन रोड|झील मार्ग",
        "प्रतिदिन सुबह नौ बजे से खुला।|बच्चों के लिए प्रवेश निःशुल्क।|झील का सुंदर दृश्य।",
        ("दिल्ली", "India", 28.6139, 77.209), ("मुंबई", "India", 19.076, 72.8777)),
    _culture(
        "{}{}", "{1} {0}", "ร้านกาแฟ|พิพิธภัณฑ์|สวน|ร้านขนมปัง|ร้านหนังสือ|โรงละคร",
        "ดอกบัว|พระจันทร์|สายน้ำ|บ้านเก่า",
        "ถนนสุขุมวิท|ถนนเจริญกรุง|ซอยอารีย์",
        "เปิดทุกวันตั้งแต่เก้าโมงเช้า|เข้าชมฟรีสำหรับเด็ก|วิวแม่น้ำเจ้าพระยา",
        ("กรุงเทพมหานคร", "Thailand", 13.7563, 100.5018), ("เชียงใหม่", "Thailand", 18.7883, 98.9853)),
    _culture(
        "{1}{0}", "{0}{1}番地", "喫茶店|美術館|公園|パン屋|書店|劇場",
        "さくら|みどり|月見|ひかり|𠮷野|山田屋",
        "銀座通り|本町|祇園町南側|桜丘町",
        "年中無休です。|入場無料、写真撮影はご遠慮ください。|駅から徒歩五分。静かな庭があります。",
        ("東京", "Japan", 35.6762, 139.6503), ("京都", "Japan", 35.0116, 135.7681)),
    _culture(
        "{1} {0}", "{} {}", "카페|박물관|공원|빵집|서점|극장",
        "무지개|한강|달빛|세 친구",
        "세종대로|인사동길|해운대로",
        "매일 아침 아홉 시에 엽니다.|어린이는 무료입니다.|강이 보이는 조용한 곳입니다.",
        ("서울", "South Korea", 37.5665, 126.978), ("부산", "South Korea", 35.1796, 129.0756)),
    _culture(
        "{1}{0}", "{0}{1}号", "咖啡馆|博物馆|公园|面包房|书店|剧院",
        "明月|老桥|三友|蓝天|龍門",
        "南京东路|人民路|中山北路二段",
        "每天开放。|儿童免费入场。|湖景优美，适合散步。",
        ("上海", "China", 31.2304, 121.4737), ("臺北", "Taiwan", 25.033, 121.5654)),
    _culture(
        "{} {}", "{1} {0}", "Quán cà phê|Bảo tàng|Công viên|Tiệm bánh|Nhà sách|Nhà hát",
        "Hoa Sen|Ánh Trăng|Sông Hồng|Phố Cổ",
        "đường Nguyễn Huệ|phố Hàng Gai|đường Lê Lợi",
        "Mở cửa hằng ngày từ 7 giờ sáng.|Miễn phí cho trẻ em.|Nhìn ra hồ, rất yên tĩnh.",
        ("Hà Nội", "Vietnam", 21.0278, 105.8342), ("Đà Nẵng", "Vietnam", 16.0544, 108.2022)),
    _culture(
        "{1} {0}", "{} {}", "kaffihús|safn|garður|bakarí|bókabúð|leikhús",
        "Þrír hrafnar|Æðarvarp|Norðurljós|Gamla brúin|Öxará",
        "Laugavegur|Skólavörðustígur|Hafnarstræti",
        "Opið alla daga.|Ókeypis fyrir börn.|Útsýni yfir fjörðinn þegar ekki er þoka.",
        ("Reykjavík", "Iceland", 64.1466, -21.9426), ("Suva", "Fiji", -18.1248, 178.4501)),
    _culture(
        "{} {}", "{1} {0}", "Café|Museum|Park|Bakery|Bookshop|Theatre",
        "The Old Mill|O'Connor & Sons|Waterfront|No. 7|Null Island|100% Organic",
        "Main Street|Harbour Road|5th Avenue|St John's Wood",
        "Open daily.|Free entry; donations welcome.|\"Best view in town\" — a visitor|Steps: 12; lift: no.",
        ("Auckland", "New Zealand", -36.8509, 174.7645), ("Toronto", "Canada", 43.6532, -79.3832),
        ("Nairobi", "Kenya", -1.2921, 36.8219), ("Accra", "Ghana", 5.6037, -0.187)),
]
