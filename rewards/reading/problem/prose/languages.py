"""Words of questions in other languages than English: one table, a row for each role.

Every word of such a question has to be known (`question.requests`), because no list tells a word
that changes a question from the others. A further language is one line in some of the rows. Words
stand without accents of the Latin alphabet. An underscore joins the words of a phrase.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_ROWS: Final = {
    # verbs and pronouns that ask
    "asks": """
        de: angeben berechne berechnen bestimme bestimmen bilde bilden ermittle ermitteln finde
            finden gesucht gib lose losen
        fr: calcule calculer calculez determine determiner determinez donner donnez est quelle
            resoudre trouve trouver trouvez
        es: calcula calcular calcule cual determina determinar encuentra encuentre es evalua
            evaluar halla hallar halle resolver resuelva resuelve
        it: calcola calcolare determinare risolvere trova trovare valutare
        pt: ache avalie encontre resolva
        ru: взять вычислите вычислить найдите найти определить проинтегрируйте проинтегрировать
        nl: bepaal bereken
        pl: oblicz wyznacz znajdz
        sv: berakna bestam
        id: carilah hitung hitunglah tentukan
        tr: bulunuz hesaplayiniz hesaplayınız
        zh: 求解 求出 试求 求 計算 计算 求下列
        ja: を求めよ を求めなさい を計算せよ 求めよ
        ko: 계산하시오 구하시오 구하여라""",
    # articles, prepositions, and kinds of numbers
    "nothing": """
        de: an be das dem den der des die ein eine einen einer eines folgende folgenden folgendes
            fur geben im in ist konstante mit positive punkte sei sie und von wobei zu
        fr: avec ce cette dans de definie des du el en et exacte la le les on par pose pour soit
            suivant suivante suivantes sur sous un une
        es: con de del donde el en la las le los para se sea siguiente siguientes sobre un una
        it: con del dell della di dove gli il la le lo seguente seguenti sia un una
        pt: as com da das de dos em na no os para seguinte seguintes um uma
        ru: в для где если его и или на от по при пусть с следующие следующий установите
        nl: de het van
        id: dari
        zh: 其中 已知 设 設 则 为 且 的 （ ） 常数 正常数 正整数 本题满分 分
        ja: 次の 以下の の値 の
        ko: 값을 다음 다음의 의""",
    # methods, which change nothing
    "method": """
        de: durch_partielle_integration durch_substitution gegeben_ist gib_das_ergebnis_exakt_an
            mit_partieller_integration mithilfe_partieller_integration
            mittels_partieller_integration mittels_substitution ohne_taschenrechner
        fr: a_l'aide_d'un_changement_de_variable a_l'aide_d'une_integration_par_parties definie_par
            par_changement_de_variable par_parties par_une_integration_par_parties
        es: mediante_un_cambio_de_variable por_cambio_de_variable por_partes por_sustitucion
            usando_sustitucion
        it: per_parti per_sostituzione
        pt: por_partes por_substituicao usando_substituicao
        ru: заменой_переменной методом_замены_переменной по_частям""",
    # what a prompt says of the response
    "response": """
        de/es/fr: a alle angeben aufgabe avant avec bevor bien bonjour cette chaque classe consigne
            contient dabord dans dentro der desarrollo despues detaillant detalladamente
            dezimalzahl die diese donne donner donnez du durchdenke ein eine einem einer en encadre
            encadrez encierra ende endergebnis endgultige entre eres erklare es escribe etape
            etapes etes exactamente exacte exakt exakte exercice exercise experto explica
            explicando expliquant final finale forme francais gebe geben genau gib hinweise im in
            ist justifiant justifier justifiez keine l'exercice la ladite le les letzte letzten
            ligne loose lose losung luego matematicas matematico matheaufgabe mathematiques merci
            mettez mit muestra nach nada ne nicht nichts objet pas paso pasos pour pregunta
            preparatoire presente presentez problema probleme professeur puis que question
            questions razona razonamiento redige redigez reflechis reflechissez repondez reponds
            resolvez resoudre resous respuesta resuelva resuelve resultat rien schreibe schreiben
            seine siguiente simplifiee sin sistema soigneusement solo solucion sous su suivant
            suivante todos tous toutes traduis tu un una une uniquement usuario utilisant votre
            vous zeige zeile zum zur zwischenschritte
        ru: анализа задача задачу запиши запишите математического опытный ответ подробно после
            последней преподаватель реши решите слова строке ты
        zh: 人工智能助手 不要输出 任何解释 完整 的推导 过程 给出 最终 答案 结果 放置于 放置
            放在 写在 通过 逐步推理 逐步 一步一步 推理 解答 解决 回答 下面 以下 下列 题目 问题
            请你 请 并且 并 把 将 其 在 中 里 内 你的 你是 一位 一个 经验丰富 数学 老师 专家
            助手 只 输出 格式 使用 用 以 开头 单独 一行 最后 步骤 详细 思考 写出 来 于 为 的
            求解 计算 求 说明 解 通义千问 由阿里云开发的
        ja: 次の問題を解いてください 途中の計算も示し 最後に 答え の後に
            答えだけを書いてください""",
    # announce the value of a requested function
    "condition": """
        de: mit mit_der_bedingung mit_der_eigenschaft
        fr: telle_que tel_que verifiant avec
        es: tal_que con_la_condicion que_cumple con
        it: tale_che""",
    # names of an antiderivative of the function behind them
    "antiderivative": """
        de: stammfunktion stammfunktionen
        fr: primitive primitives
        es: antiderivada primitiva primitivas
        it: primitiva
        ru: первообразная первообразную первообразные проинтегрируйте проинтегрировать""",
    # what belongs to the kinds of questions
    "integral": """
        de: bestimmte bestimmten bestimmtes funktion integral integrale unbestimmte unbestimmten
            unbestimmtes uneigentliche uneigentlichen uneigentliches wert
        fr: fonction fonctions impropre indefinie integrale integrales intervalle valeur
        es: definida exacto funcion impropia indefinida integral integrales valor
        it: definito funzione improprio indefinito integrale integrali valore
        pt: funcao impropria integrais
        ru: значение интеграл интегралы несобственный неопределенные неопределенный неопределённые
            неопределённый определенный определённый расходимость сходимость функции функцию
        nl: integraal
        pl: całka całke całki nieoznaczona oznaczona
        sv: integralen
        tr: belirli belirsiz integrali integralini
        zh: 不定积分 定积分 反常积分 广义积分 积分 原函数 的?值
        ja: 不定積分 定積分 積分
        ko: 부정적분을 정적분의 정적분을""",
    "derivative": """
        de: ableitung funktion stelle
        fr: au derivee fonction point
        es: derivada funcion punto
        it: derivata funzione punto
        zh: 一阶 二阶 三阶 导函数 导数 函数 处 在""",
    # names of the derivative of a function, and orders
    "derived": """
        de: ableitung
        fr: derivee
        es: derivada
        it: derivata
        zh: 导函数 导数""",
    "first": """
        de: erste ersten
        fr: premiere
        es: primera
        zh: 一阶""",
    "second": """
        de: zweite zweiten
        fr: deuxieme seconde
        es: segunda
        zh: 二阶""",
    "third": """
        de: dritte dritten
        fr: troisieme
        es: tercera
        zh: 三阶""",
    "equation": """
        de: allgemeine allgemeinen anfangsbedingung anfangswertproblem differentialgleichung
            losung
        fr: cauchy condition differentielle equation generale initiale probleme solution
            verifiant
        es: condicion diferencial ecuacion general inicial problema solucion valor
        zh: 常微分方程 微分方程 初值问题 初始条件 方程 满足 通解 特解 解""",
    "limit": """
        de: folge gegen geht grenzwert strebt wert
        fr: limite lorsque quand suite tend valeur vers
        es: cuando infinito limite sucesion tiende valor
        zh: 极限 当 时 的?值""",
    # words between a variable and the point that the variable tends to
    "tends": """
        de: gegen geht_gegen strebt_gegen
        fr: tend_vers
        es: tiende_a
        zh: 趋于 趋近于 趋向于""",
    "sum": """
        de: reihe summe unendlichen wert
        fr: serie somme valeur
        es: suma valor
        zh: 无穷级数 级数 的?和 的?值""",
}
#: Languages without spaces between words.
_UNSPACED: Final = ("zh", "ja")


def _column(role: str, languages: str) -> tuple[str, ...]:
    """The words of a row, of all languages with or without spaces between words."""
    words, is_listed = [], False
    for word in _ROWS.get(role, "").split():
        if word.endswith(":"):
            is_listed = (word[:-1] in _UNSPACED) == (languages == "unspaced")
        elif is_listed:
            words.append(word)
    return tuple(words)


@cache
def foreign_words(*roles: str) -> frozenset[str]:
    """The words of rows, in languages with spaces between words."""
    return frozenset(word for role in roles for word in _column(role, "spaced"))


def foreign_phrases(role: str) -> str:
    """A pattern of the phrases of a row."""
    joined = "|".join(sorted(foreign_words(role), reverse=True)).replace("_", r"\s+")
    return rf"\b(?:{joined})\b"


@cache
def unspaced_words(*roles: str) -> re.Pattern[str]:
    """A pattern of the words of rows, in languages without spaces; the longest words first."""
    words = sorted({word for role in roles for word in _column(role, "unspaced")}, key=len)
    return re.compile("|".join(reversed(words)) or r"(?!)")
