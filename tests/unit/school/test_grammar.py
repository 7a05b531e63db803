"""The text that the model is trained on."""

from functools import cache
from itertools import islice, pairwise
from random import Random

import pytest

from mha_viz.errors import ChoiceError
from mha_viz.school.documents import Document, Draft
from mha_viz.school.grammar import (
    BRACKET,
    LONGEST,
    PERSON,
    QUOTE,
    SORTS,
    THING,
    TITLE,
    Grammar,
    is_held_out,
)
from mha_viz.school.lexicon import Lexicon
from mha_viz.school.repeats import LETTERS, UNSEEN_LENGTHS, WORDS, unseen_repeat
from mha_viz.school.sentences import SUBJECT, Speaker
from mha_viz.school.vocabulary import START, UNKNOWN, Vocabulary

LEXICON = Lexicon()
GRAMMAR, VOCABULARY = Grammar(LEXICON), Vocabulary(LEXICON)


@cache
def documents(sort: str) -> list[Document]:
    random = Random(3)
    return [GRAMMAR.document(random, sort) for _ in range(101)]


@cache
def training_documents() -> list[Document]:
    return list(islice(GRAMMAR.training(Random(7)), 499))


def pairs(kind: str, sort: str) -> list[tuple[list[str], int, int, str]]:
    return [
        (list(document.words), link.query, link.target, link.other)
        for document in documents(sort)
        for link in document.links
        if link.kind == kind
    ]


def is_plural(noun: str) -> bool:
    """By spelling, not by the lists."""
    if noun in {"mice", "geese"}:
        return True
    return noun.endswith("s") and not noun.endswith("ss") and noun != "bus"


# Whole documents


@pytest.mark.parametrize("sort", SORTS)
def test_document_when_read_as_text_gives_the_same_tokens(sort: str):
    for document in documents(sort):
        read = VOCABULARY.read(document.text(LEXICON.proper))
        assert [token.id for token in read] == VOCABULARY.encode(document.words)
        assert VOCABULARY.id_of(UNKNOWN) not in {token.id for token in read}


def test_training_documents_fit_the_context_and_are_never_held_out():
    drawn = training_documents()
    assert max(len(document.words) for document in drawn) <= LONGEST
    assert not any(is_held_out(document) for document in drawn)


@pytest.mark.parametrize("sort", SORTS)
def test_held_out_documents_share_none_with_training(sort: str):
    held_out = {document.words for document in islice(GRAMMAR.held_out(Random(7), sort), 5)}
    assert not held_out & {document.words for document in training_documents()}


def test_documents_when_seeded_alike_are_alike():
    first, again = (list(islice(GRAMMAR.training(Random(11)), 23)) for _ in range(2))
    assert first == again


def test_sort_that_does_not_exist_is_named():
    with pytest.raises(ChoiceError, match="sonnets"):
        GRAMMAR.document(Random(0), "sonnets")


# What belongs together


def test_verb_agrees_with_its_subject_and_not_with_the_noun_before_it():
    plural_forms = {"are", "were"} | {
        verb.plural for kind in LEXICON.nouns for verb in kind.kind.acts
    }
    found = pairs(SUBJECT, "agreement")
    assert len(found) > 50
    for words, query, target, other in found:
        assert is_plural(words[target]) == (words[query] in plural_forms)
        assert (words[query] in plural_forms) != (other in plural_forms)
        nouns = [word for word in words[target + 1 : query] if word in NOUN_FORMS]
        assert nouns
        assert all(is_plural(noun) != is_plural(words[target]) for noun in nouns)


NOUN_FORMS = {form for noun in LEXICON.nouns for form in (noun.singular, noun.plural)}


def test_pronoun_stands_for_one_candidate_alone():
    found = [(kind, pair) for kind in (PERSON, THING) for pair in pairs(kind, "pronouns")]
    assert {kind for kind, _ in found} == {PERSON, THING}
    for kind, (words, query, target, _) in found:
        assert words[query] in ({"it"} if kind == THING else {"she", "he", "they"})
        assert (words[query] == "they") == (
            words[target] in NOUN_FORMS and is_plural(words[target])
        )
        start = max((at for at in range(target) if words[at] in ".!?"), default=-1)
        sentence = words[start + 1 : words.index(".", target)]
        named = [word for word in sentence if word in NOUN_FORMS | names()]
        assert sum(fits(word, words[query]) for word in named) == 1


def names() -> set[str]:
    return {noun.singular for noun in LEXICON.first_names}


def fits(word: str, pronoun: str) -> bool:
    return any(
        noun.pronoun_for(plural) == pronoun
        for noun in (*LEXICON.nouns, *LEXICON.first_names)
        for plural in (False, True)
        if noun.form(plural) == word and not (plural and noun in LEXICON.first_names)
    )


def test_name_has_its_title_before_it():
    found = pairs(TITLE, "titles")
    assert len(found) > 50
    for words, query, target, _ in found:
        assert words[target] in LEXICON.titles
        assert words[query] in words[target + 1 : target + 3]


@pytest.mark.parametrize(
    ("sort", "openers", "closers"),
    [("quotes", '"', '"'), ("brackets", "([{", ")]}"), ("conditions", ["if"], ["then"])],
)
def test_pair_opens_and_closes(sort: str, openers: str, closers: str):
    found = [
        (document.words[link.target], document.words[link.query])
        for document in documents(sort)
        for link in document.links
    ]
    assert found
    assert set(found) == set(zip(openers, closers, strict=True))


def test_after_a_quote_comes_how_it_is_said_by_the_verb_before_it():
    found = [
        (words[target - 1], words[query + 1])
        for words, query, target, _ in pairs(QUOTE, "quotes")
        if target and words[target - 1] in LEXICON.saying
    ]
    assert len(found) > 50
    assert all(how in LEXICON.saying[verb] for verb, how in found)
    # What is said in quotes has such words too: they alone do not tell which is the right one.
    inside = [words[target:query] for words, query, target, _ in pairs(QUOTE, "quotes")]
    assert sum(bool(LEXICON.saying.keys() & set(words)) for words in inside) > 50


def test_after_a_bracket_comes_the_word_that_belongs_to_the_verb_before_it():
    to = {form: word for verb, word in LEXICON.leaning for form in (verb.singular, verb.plural)}
    found = [
        (to[words[target - 1]], words[query + 1])
        for words, query, target, _ in pairs(BRACKET, "brackets")
        if words[target - 1] in to
    ]
    assert len(found) > 29
    assert all(expected == word for expected, word in found)


# Repeats


@pytest.mark.parametrize("kind", [LETTERS, WORDS])
def test_link_of_a_repeat_points_at_what_followed_before(kind: str):
    draft = Draft()
    unseen_repeat(Speaker(LEXICON, Random(13)), draft, kind)
    assert len(draft.links) > 3
    for link in draft.links:
        assert draft.words[link.target - 1] == draft.words[link.query]
        assert draft.words[link.target] == draft.words[link.query + 1]


@pytest.mark.parametrize("sort", ["repeated letters", "repeated words"])
def test_blocks_of_training_have_many_lengths_but_never_those_of_the_test(sort: str):
    lengths = {document.words[1:].index(document.words[0]) + 1 for document in documents(sort)}
    assert len(lengths) > 7
    assert not lengths & set(UNSEEN_LENGTHS)


def test_repeats_of_a_kind_that_does_not_exist_are_named():
    with pytest.raises(ChoiceError, match="digits"):
        unseen_repeat(Speaker(LEXICON, Random(0)), Draft(), "digits")


# The lists


def test_every_word_is_listed_once_in_the_vocabulary():
    assert len(set(VOCABULARY.words)) == len(VOCABULARY)
    assert VOCABULARY.words[0] == START
    assert 900 <= len(VOCABULARY) <= 1100


def test_no_form_of_a_noun_is_a_form_of_another():
    forms = sorted(form for noun in LEXICON.nouns for form in (noun.singular, noun.plural))
    assert all(one != two for one, two in pairwise(forms))


def test_text_has_capitals_quotes_and_full_stops_where_they_belong():
    words = (
        "ada",
        "said",
        '"',
        "the",
        "dogs",
        "bark",
        '"',
        "to",
        "ben",
        "(",
        "yes",
        ")",
        ".",
        "hello",
        "!",
    )
    written = Document(words, ()).text(LEXICON.proper)
    assert written == 'Ada said "the dogs bark" to Ben (yes). Hello!'
