"""Files in encodings older than UTF-8 are decoded correctly in many languages."""

from __future__ import annotations

import pytest

from mdcore.data import read_table
from mdcore.data.tables.encodings import ENCODINGS
from mdcore.data.tables.wording import reason
from tests.files import text

TABLES = {
    "Russian": (["имя", "город", "класс"], ["Иван", "Москва", "да"], ["Пётр", "Казань", "нет"], ["Юлия", "Уфа", "да"]),
    "Greek": (["όνομα", "πόλη", "κλάση"], ["Γιώργος", "Αθήνα", "ναι"], ["Μαρία", "Θεσσαλονίκη", "όχι"]),
    "Japanese": (
        ["名前", "都市", "クラス"],
        ["田中", "東京", "はい"],
        ["鈴木", "大阪", "いいえ"],
        ["佐藤", "京都", "はい"],
    ),
    "Chinese": (["姓名", "城市", "类别"], ["王伟", "北京", "是"], ["李娜", "上海", "否"], ["张敏", "广州", "是"]),
    "Korean": (["이름", "도시", "반"], ["김민수", "서울", "예"], ["이영희", "부산", "아니오"]),
    "Czech": (["jméno", "město", "třída"], ["Jiří", "Plzeň", "ano"], ["Žofie", "Ústí", "ne"], ["Šárka", "Brno", "ano"]),
    "Polish": (["imię", "miasto", "klasa"], ["Paweł", "Łódź", "tak"], ["Małgorzata", "Kraków", "nie"]),
    "Hungarian": (["név", "város", "osztály"], ["Erzsébet", "Győr", "igen"], ["Ödön", "Pécs", "nem"]),
    "Turkish": (["isim", "şehir", "sınıf"], ["Ayşe", "İstanbul", "evet"], ["Çağrı", "Iğdır", "hayır"]),
    "German": (["Name", "Straße", "Klasse"], ["Jürgen", "Königstraße", "ja"], ["Käthe", "Am Bühl", "nein"]),
    "French": (["prénom", "ville", "classe"], ["François", "Besançon", "oui"], ["Zoé", "Orléans", "non"]),
    "units": (["temp (°C)", "µg", "class"], ["20 °C", "5 €", "a"], ["21 °C", "7 €", "b"]),
}
CASES = [
    *(("Russian", encoding) for encoding in ("cp1251", "koi8-r", "cp866", "iso8859-5")),
    *(("Greek", encoding) for encoding in ("cp1253", "iso8859-7")),
    *(("Japanese", encoding) for encoding in ("cp932", "euc-jp", "iso2022-jp")),
    *(("Chinese", "gb18030"), ("Korean", "cp949"), ("Turkish", "cp1254"), ("units", "cp1252")),
    *((language, encoding) for language in ("Czech", "Polish", "Hungarian") for encoding in ("cp1250", "iso8859-2")),
    *((language, encoding) for language in ("German", "French") for encoding in ("cp1252", "latin-1")),
]


@pytest.mark.parametrize(("language", "encoding"), CASES)
@pytest.mark.parametrize("repeats", [1, 12])
def test_letters_are_read_as_they_were_written_and_the_reason_is_said(
    language: str, encoding: str, repeats: int
) -> None:
    head, *rows = TABLES[language]
    lines = [[*head[:2], "n", head[2]]]
    lines += [[*row[:2], f"{i}.{j}", row[2]] for i in range(repeats) for j, row in enumerate([*rows, *rows])]
    table = read_table(text(lines, ";").encode(encoding), "table.csv")
    assert list(table.frame.columns) == lines[0]
    assert table.frame.iloc[:, [0, 1, 3]].to_numpy().tolist() == [[a, b, d] for a, b, _, d in lines[1:]]
    found = table.format.encoding
    assert found.value in ENCODINGS
    assert reason(found)
    again = read_table(text(lines, ";").encode(encoding), "table.csv", **table.format.options())
    assert again.frame.equals(table.frame)


def test_letters_that_two_languages_share_are_read_as_western_and_the_other_is_named() -> None:
    content = "név;kor;osztály\nGyőr;1;igen\nPécs;2;nem\n".encode("cp1250")
    found = read_table(content, "table.csv").format.encoding
    assert found.value == "cp1252"
    assert reason(found).endswith("It could also be Windows-1250, Central European")
    assert read_table(content, "table.csv", encoding="cp1250").frame["név"][0] == "Győr"


def test_the_letter_that_decides_may_come_late_in_a_large_file() -> None:
    rows = "".join(f"{i};a{i % 7};yes\n" for i in range(40_000))
    table = read_table(f"x;name;class\n{rows}1;Łódź;no\n2;Kraków;no\n".encode("cp1250"), "table.csv")
    assert table.format.encoding.value == "cp1250"
    assert table.frame["name"].tolist()[-2:] == ["Łódź", "Kraków"]
